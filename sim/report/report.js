// SPDX-License-Identifier: Apache-2.0
// Draws the report from the JSON in the page. No network, no state beside the page.
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const runs = data.runs || [];
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const onTime = 0.001;  // misses up to one in a thousand count as on time
  const unique = (list) => [...new Set(list)];
  const geomean = (list) => Math.exp(list.reduce((sum, x) => sum + Math.log(x), 0) / list.length);
  const number = (x, digits = 2) => (x === null || x === undefined ? '–' : x.toFixed(digits));
  const percent = (x) => (100 * x).toFixed(x < 0.0995 ? 2 : 1) + ' %';
  const element = (tag, text, className) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return e;
  };
  const palette = ['#0b63ce', '#d9480f', '#2b8a3e', '#9c36b5', '#c2255c', '#0c8599', '#e8590c', '#5f3dc4',
    '#66a80f', '#868e96', '#1098ad', '#a61e4d'];
  const policies = unique(runs.map((run) => run.policy));
  const color = (policy) => palette[policies.indexOf(policy) % palette.length];

  // What energies are compared with: the best reference that every run has.
  const reference = [['vs_strict', 'the strict clairvoyant bound'], ['vs_buffered', 'the buffered bound'],
    ['vs_stock', 'a stock governor with touch boost']]
    .find(([key]) => runs.length && runs.every((run) => run[key] > 0)) || ['energy_mj', 'nothing: millijoules'];
  $('reference').textContent = reference[1];

  function scores(device) {
    return policies.map((policy) => {
      const mine = runs.filter((run) => run.policy === policy && (device === '' || run.device === device));
      if (!mine.length) return null;
      const feasible = mine.reduce((sum, run) => sum + run.feasible_frames, 0);
      const missed = mine.reduce((sum, run) => sum + run.missed_deadlines, 0);
      return { policy, energy: geomean(mine.map((run) => Math.max(run[reference[0]], 1e-9))),
        miss: feasible ? missed / feasible : 0, runs: mine.length,
        writes: mine.reduce((sum, run) => sum + run.writes, 0) / mine.reduce((sum, run) => sum + run.frames, 0) };
    }).filter(Boolean);
  }

  function markFront(list) {
    for (const a of list) {
      a.front = !list.some((b) => b !== a && b.energy <= a.energy && b.miss <= a.miss &&
        (b.energy < a.energy || b.miss < a.miss));
    }
    // On time first, then cheap: energy saved by missing deadlines is no saving.
    return list.sort((a, b) => (a.miss > onTime) - (b.miss > onTime) || a.energy - b.energy);
  }

  const charts = [];
  const axes = (label, values, size) => ({ stroke: css('--soft'), grid: { stroke: css('--line'), width: 1 },
    ticks: { stroke: css('--line') }, label, labelSize: label ? 22 : 0, ...(size ? { size } : {}), values });
  const width = (box) => Math.max(280, box.clientWidth - 18);

  // Misses span decades and include zero: a square-root axis shows both ends.
  const squash = (miss) => Math.sqrt(miss);
  function drawFront() {
    const box = $('front');
    box.replaceChildren();
    const list = markFront(scores($('device').value)).sort((a, b) => a.miss - b.miss);
    const front = list.filter((s) => s.front).sort((a, b) => a.miss - b.miss);
    const points = { paths: () => null };
    const labels = (u) => {
      const ctx = u.ctx;
      ctx.save();
      ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
      list.forEach((s, i) => {
        const x = u.valToPos(squash(s.miss), 'x', true);
        const y = u.valToPos(s.energy, 'y', true);
        ctx.fillStyle = color(s.policy);
        ctx.beginPath();
        ctx.arc(x, y, 6 * devicePixelRatio, 0, 7);
        ctx.fill();
        ctx.fillStyle = css('--fg');
        const right = x > u.bbox.left + u.bbox.width * 0.8;
        ctx.textAlign = right ? 'right' : 'left';
        ctx.fillText(s.policy, x + (right ? -10 : 10) * devicePixelRatio, y + (i % 2 ? 12 : -4) * devicePixelRatio);
      });
      if (reference[0] !== 'energy_mj' && reference[0] !== 'vs_stock') {
        ctx.strokeStyle = css('--soft');
        ctx.setLineDash([6, 6]);
        const y = u.valToPos(1, 'y', true);
        ctx.beginPath();
        ctx.moveTo(u.bbox.left, y);
        ctx.lineTo(u.bbox.left + u.bbox.width, y);
        ctx.stroke();
      }
      ctx.restore();
    };
    const energies = list.map((s) => s.energy);
    const xs = list.map((s) => squash(s.miss));
    const sweeps = (data.sweeps || []).filter((s) => $('device').value === '' || s.device === $('device').value);
    const chart = new uPlot({
      width: width(box), height: 380, legend: { show: false }, cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false, range: () => [0, Math.max(0.05, ...xs) * 1.1] },
        y: { range: () => [Math.min(0.95, ...energies) * 0.97, Math.max(...energies) * 1.06] } },
      axes: [axes('missed deadlines', (u, ticks) => ticks.map((t) => percent(t * t))), axes('energy', undefined, 60)],
      series: [{}, { ...points }, { stroke: css('--good'), width: 2, spanGaps: true, points: { show: false } },
        ...sweeps.map((s) => ({ stroke: color(s.policy), dash: [3, 3], spanGaps: true, points: { size: 4 } }))],
      hooks: { draw: [labels] },
    }, uPlot.join([[list.map((s) => squash(s.miss)), energies],
      [front.map((s) => squash(s.miss)), front.map((s) => s.energy)],
      ...sweeps.map((s) => {
        const sorted = [...s.points].sort((a, b) => a.miss_rate - b.miss_rate);
        return [sorted.map((p) => squash(p.miss_rate)), sorted.map((p) => p.energy)];
      })]), box);
    charts.push(chart);
    fill($('ranking'), ['policy', 'energy', 'missed', 'writes/frame', 'front'],
      markFront(list).map((s) => [s.policy, number(s.energy, 3), percent(s.miss), number(s.writes),
        s.front ? 'on it' : '']), (cell, value) => value === 'on it' && cell.classList.add('front'));
  }

  function fill(table, head, rows, decorate) {
    const headRow = element('tr');
    head.forEach((text, column) => {
      const th = element('th');
      const button = element('button', text);
      button.type = 'button';
      button.addEventListener('click', () => {
        const sign = table.dataset.sorted === String(column) ? -1 : 1;
        table.dataset.sorted = sign === 1 ? String(column) : '';
        const sorted = [...rows].sort((a, b) => sign * (Number.isNaN(parseFloat(a[column]))
          ? String(a[column]).localeCompare(String(b[column])) : parseFloat(a[column]) - parseFloat(b[column])));
        body(sorted);
      });
      th.append(button);
      headRow.append(th);
    });
    table.tHead.replaceChildren(headRow);
    const body = (list) => table.tBodies[0].replaceChildren(...list.map((row) => {
      const tr = element('tr');
      row.forEach((value, column) => {
        const cell = element('td', String(value));
        if (Number.isNaN(parseFloat(value))) cell.className = 'text';
        if (decorate) decorate(cell, value, column);
        tr.append(cell);
      });
      return tr;
    }));
    body(rows);
  }

  function drawScenes() {
    const device = $('device').value;
    $('scenes').replaceChildren(...unique(runs.map((run) => run.input)).map((input) => {
      const panel = element('div', undefined, 'panel');
      panel.append(element('h3', input.split('/').pop()));
      const list = policies.map((policy) => {
        const mine = runs.filter((r) => r.input === input && r.policy === policy &&
          (device === '' || r.device === device));
        if (!mine.length) return null;
        const feasible = mine.reduce((sum, run) => sum + run.feasible_frames, 0);
        return { policy, energy: geomean(mine.map((r) => Math.max(r[reference[0]], 1e-9))),
          miss: feasible ? mine.reduce((sum, run) => sum + run.missed_deadlines, 0) / feasible : 0 };
      }).filter(Boolean).sort((a, b) => a.energy - b.energy);
      const most = Math.max(...list.map((s) => s.energy));
      for (const s of list) {
        const bar = element('div', undefined, 'bar');
        const track = element('div', undefined, 'track');
        const fillBar = element('div', undefined, 'fill');
        fillBar.style.width = (100 * s.energy / most).toFixed(1) + '%';
        fillBar.style.background = color(s.policy);
        track.append(fillBar);
        track.title = number(s.energy, 3);
        bar.append(element('span', s.policy), track,
          element('span', percent(s.miss), s.miss > onTime ? 'miss bad' : 'miss'));
        panel.append(bar);
      }
      return panel;
    }));
  }

  function drawTimeline() {
    const box = $('timeline');
    box.replaceChildren();
    const timeline = (data.timelines || [])[$('run').selectedIndex];
    if (!timeline) return;
    const frames = timeline.frames;
    const t = frames.map((f) => f[0]);
    const sync = uPlot.sync('run');
    const linked = [];
    let busy = false;
    const zoomAll = (min, max) => {
      if (busy) return;
      busy = true;
      linked.forEach((chart) => chart.setScale('x', { min, max }));
      busy = false;
    };
    const add = (title, columns, series, unit, height) => {
      const holder = element('div', undefined, 'chart');
      holder.tabIndex = 0;
      holder.setAttribute('role', 'img');
      holder.setAttribute('aria-label', title);
      box.append(holder);
      const chart = new uPlot({ title, width: width(box), height, cursor: { sync: { key: sync.key } },
        scales: { x: { time: false } },
        axes: [axes('', (u, ticks) => ticks.map((v) => (v / 1000).toFixed(2) + ' s')), axes(unit, undefined, 60)],
        series: [{ label: 'time', value: (u, v) => (v === null ? '–' : (v / 1000).toFixed(3) + ' s') }, ...series],
        hooks: { setScale: [(u, key) => key === 'x' && zoomAll(u.scales.x.min, u.scales.x.max)] } }, columns, holder);
      holder.addEventListener('keydown', (event) => {
        const { min, max } = chart.scales.x;
        const span = max - min;
        const moves = { '+': [min + span / 4, max - span / 4], '-': [min - span / 2, max + span / 2],
          ArrowLeft: [min - span / 5, max - span / 5], ArrowRight: [min + span / 5, max + span / 5],
          0: [t[0], t[t.length - 1]] };
        if (moves[event.key]) {
          zoomAll(...moves[event.key]);
          event.preventDefault();
        }
      });
      linked.push(chart);
      charts.push(chart);
    };
    const late = frames.map((f) => (f[4] ? f[1] : null));
    add('Generation time against the deadline',
      [t, frames.map((f) => f[1]), frames.map((f) => f[2]), late],
      [{ label: 'generation', stroke: css('--accent'), width: 1, points: { size: 3 } },
        { label: 'deadline', stroke: css('--soft'), width: 1, dash: [6, 4], points: { show: false } },
        { label: 'late', stroke: css('--bad'), fill: css('--bad'), paths: () => null, points: { show: true, size: 8, fill: css('--bad') } }],
      'ms', 240);
    add('Work', [t, frames.map((f) => f[3])],
      [{ label: 'work', stroke: '#2b8a3e', width: 1, points: { show: false } }], 'Mcycles', 140);
    for (const cluster of timeline.clusters || []) {
      const stepped = uPlot.paths.stepped({ align: 1 });
      add(cluster.name, [cluster.t, cluster.cap, cluster.floor, cluster.current],
        [{ label: 'cap', stroke: '#d9480f', paths: stepped, dash: [6, 4], points: { show: false } },
          { label: 'floor', stroke: '#2b8a3e', paths: stepped, dash: [2, 3], points: { show: false } },
          { label: 'current', stroke: css('--accent'), paths: stepped, points: { show: false } }], 'MHz', 160);
    }
  }

  function drawLoop() {
    const loop = data.loop || [];
    $('loop-section').hidden = !loop.length;
    fill($('loop'), ['scene', 'policy', 'p50 phone', 'p50 sim', 'p95 phone', 'p95 sim', 'missed phone', 'missed sim'],
      loop.map((row) => [row.scene, row.policy, number(row.phone.p50), number(row.sim.p50), number(row.phone.p95),
        number(row.sim.p95), percent(row.phone.miss_rate), percent(row.sim.miss_rate)]));
  }

  function summarise() {
    const list = markFront(scores(''));
    const best = list.filter((s) => s.miss <= onTime).sort((a, b) => a.energy - b.energy)[0] || list[0];
    $('summary').textContent = best
      ? `${runs.length} runs: ${unique(runs.map((r) => r.input)).length} scenes on ` +
        `${unique(runs.map((r) => r.device)).length} phones under ${policies.length} policies` +
        `${data.world ? ` in the ${data.world.name} world (${data.world.factors})` : ''}. ` +
        `Least energy at no more than 0.1 % missed deadlines: ${best.miss <= onTime ? best.policy : 'none'}` +
        (best.miss <= onTime ? ` (${number(best.energy, 3)} × ${reference[1]}, ${percent(best.miss)} missed).` : '.')
      : 'No runs.';
  }

  function drawAll() {
    charts.splice(0).forEach((chart) => chart.destroy());
    drawFront();
    drawScenes();
    drawTimeline();
  }

  const option = (value, text) => Object.assign(element('option', text), { value });
  $('device').append(option('', 'all phones'), ...unique(runs.map((r) => r.device)).map((d) => option(d, d)));
  $('run').append(...(data.timelines || []).map((r, i) =>
    option(String(i), `${r.policy} on ${r.device}: ${r.input.split('/').pop()}`)));
  $('run-section').hidden = !(data.timelines || []).length;
  const theme = (name) => { root.dataset.theme = name; drawAll(); };
  $('theme').addEventListener('click', () => theme(root.dataset.theme === 'dark' ? 'light' : 'dark'));
  $('device').addEventListener('change', drawAll);
  $('run').addEventListener('change', drawAll);
  let resizing;
  addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(drawAll, 150); });
  fill($('runs'), ['input', 'device', 'policy', 'frames', 'missed', 'energy mJ', 'power mW', 'p95 ms', 'vs strict',
    'vs buffered', 'vs stock', 'writes'],
    runs.map((r) => [r.input.split('/').pop(), r.device, r.policy, r.frames, percent(r.miss_rate), number(r.energy_mj, 1),
      number(r.mean_power_mw, 1), number(r.generation_ms.p95), number(r.vs_strict, 3), number(r.vs_buffered, 3),
      number(r.vs_stock, 3), r.writes]));
  summarise();
  drawLoop();
  theme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  root.dataset.ready = 'true';
})();
