// SPDX-License-Identifier: Apache-2.0
// Draws the report from the JSON in the page. No network, no state beside the page.
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const runs = data.runs || [];
  const rankings = data.rankings || {};
  const timelines = data.timelines || [];
  const meta = data.meta || {};
  const settings = meta.settings || {};
  const onTime = data.on_time;
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const unique = (list) => [...new Set(list)];
  const sum = (list, of) => list.reduce((total, each) => total + of(each), 0);
  const plural = (count, word) => `${count} ${count === 1 ? word : word.endsWith('y') ? word.slice(0, -1) + 'ies' : word + 's'}`;
  const known = (x) => x !== null && x !== undefined;
  const number = (x, digits = 2) => (known(x) ? x.toFixed(digits) : '–');
  // In %, so fine that what is past the limit never reads as the limit.
  const share = (x) => (known(x) ? (100 * x).toFixed(x < 0.00995 ? 3 : x < 0.0995 ? 2 : 1) : '–');
  const element = (tag, text, className) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return e;
  };
  const policies = unique(runs.map((run) => run.policy));
  const devices = unique(runs.map((run) => run.device));
  const inputs = unique(runs.map((run) => run.input));
  const ranked = inputs.filter((input) => !(data.not_ranked || []).includes(input));

  // What energies are compared with. Where some input has no bounds it is stock, as in the ranking.
  const compared = (rankings[''] || []).length ? rankings[''] : runs.filter((run) => run.frames > 0);
  const bounded = compared.every((each) => each.vs_strict > 0);
  const reference = bounded ? 'oracle-strict' : 'schedutil-boost';
  const ratioOf = (run) => (bounded ? run.vs_strict : run.vs_stock);
  const energy = (row) => (row.vs_strict > 0 ? row.vs_strict : row.vs_stock);
  const avoidable = (run) => (known(run.avoidable_misses) ? run.avoidable_misses : run.missed_deadlines);
  const asksAvoidable = runs.some((run) => known(run.avoidable_misses));
  const missWord = asksAvoidable ? 'avoidable misses' : 'misses';
  const limit = `${+(100 * onTime).toFixed(3)} %`;
  const isLate = (row) => row.avoidable_rate > onTime;
  // On other recordings it could be on the other side of the limit.
  const isUnsure = (row) => row.avoidable_low <= onTime && row.avoidable_high > onTime;

  const option = (value, text = value) => Object.assign(element('option', text), { value });

  // Columns: {head, text(row), less?(row), value?(row), className?(row)}; `value` sorts, else the text does.
  function fill(table, columns, rows) {
    const body = (list) => table.tBodies[0].replaceChildren(...list.map((row) => {
      const tr = element('tr');
      for (const column of columns) {
        const content = column.text(row);
        const cell = element('td', content instanceof Node ? undefined : String(content), column.value ? '' : 'text');
        if (content instanceof Node) cell.append(content);
        const less = column.less && column.less(row);
        if (less) cell.append(element('small', less));
        tr.append(cell);
      }
      return tr;
    }));
    const headRow = element('tr');
    columns.forEach((column) => {
      const th = element('th', undefined, column.value ? '' : 'text');
      th.scope = 'col';
      const button = element('button', column.head);
      button.type = 'button';
      button.addEventListener('click', () => {
        const sign = th.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
        for (const other of headRow.children) other.removeAttribute('aria-sort');
        th.setAttribute('aria-sort', sign === 1 ? 'ascending' : 'descending');
        const key = column.value || ((row) => (column.sort || column.text)(row));
        const compare = (a, b) => (typeof a === 'number' || typeof b === 'number'
          ? (known(a) ? a : Infinity) - (known(b) ? b : Infinity) : String(a).localeCompare(String(b)));
        body([...rows].sort((a, b) => sign * compare(key(a), key(b))));
      });
      th.append(button);
      headRow.append(th);
    });
    table.tHead.replaceChildren(headRow);
    body(rows);
  }

  // --- What was compared, and what came out ---

  // One recording alone has none.
  const range = (low, high, text) => (ranked.length > 1 ? `${text(low)} to ${text(high)}` : '');
  const intervalOf = (low, high, text) => (ranked.length > 1 ? ` (95 %: ${range(low, high, text)})` : '');
  const energyText = (row) => `${number(energy(row), 3)} × the energy of ${reference}` +
    intervalOf(row.energy_low, row.energy_high, (x) => number(x, 3));
  const missText = (row) => `${share(row.avoidable_rate)} % ${missWord}` +
    intervalOf(row.avoidable_low, row.avoidable_high, share);

  function verdict(ranking) {
    if (!ranking.length) return 'Nothing is ranked: no recording has the 100 frames that it takes.';
    const [first] = ranking;
    const late = ranking.filter(isLate);
    if (isLate(first)) {
      return `No policy is on time (at most ${limit} ${missWord}). ${first.policy} comes nearest: ${missText(first)} at ${energyText(first)}.`;
    }
    const delaying = first.delays_others ? [] : ranking.filter((row) => !isLate(row) && row.delays_others && energy(row) < energy(first));
    return `${first.policy} ranks first: ${missText(first)} at ${energyText(first)}` +
      (isUnsure(first) ? `, and its interval goes past the ${limit} that count as on time` : '') +
      (first.delays_others ? `. It finishes other apps' work ${number(first.others_vs_stock)} times as late as stock. ` : '. ') +
      delaying.map((row) => `${row.policy} is on time at ${number(energy(row), 3)} ×, but finishes other apps' work ` +
        `${number(row.others_vs_stock)} times as late as stock, so it ranks behind. `).join('') +
      `${late.length} of ${ranking.length} policies are late: more than ${limit} ${missWord}.`;
  }

  const deadlineWords = { strict: 'strict: a frame is to be ready at the next vsync', buffered: 'buffered: one frame may wait in the queue',
    recorded: 'recorded: as the recording has them, else at the next vsync' };

  function summarise() {
    const sizes = `${plural(policies.length, 'policy')}, ${plural(inputs.length, 'recording')}, ${plural(devices.length, 'phone')}`;
    document.title = `framegov report: ${sizes}`;
    $('verdict').textContent = verdict(rankings[''] || []);
    const facts = [['Compared', `${sizes}: ${plural(runs.length, 'run')}, ${plural(sum(runs, (run) => run.frames), 'frame')}`]];
    if (meta.world) facts.push(['World', `${meta.world.name} (${meta.world.factors})`]);
    if (settings.deadline) {
      facts.push(['Deadlines', deadlineWords[settings.deadline] || settings.deadline],
        ['Late frames', settings.late === 'drop' ? 'drop: a late app skips vsyncs' : 'queue: no frame is skipped']);
    }
    if (known(meta.seed)) facts.push(['Seed', `${meta.seed}, one for all runs`]);
    facts.push(['Intervals', ranked.length > 1
      ? `95 %, a bootstrap over ${ranked.length} recordings: how it would be on others of this kind. Phones and seeds are not drawn. ` +
        (ranked.length < 6 ? 'So few recordings make for rough intervals. ' : '') +
        'All policies ran the same recordings, so a difference between two is surer than their intervals alone suggest.'
      : 'none: they are over recordings, and one alone is ranked']);
    if ((data.not_ranked || []).length) facts.push(['Not ranked', `${data.not_ranked.join(', ')}: fewer than 100 frames`]);
    if (meta.version) facts.push(['Program', `framegov ${meta.version}`]);
    $('facts').replaceChildren(...facts.flatMap(([name, text]) => [element('dt', name), element('dd', text)]));
  }

  // --- The ranking ---

  const swatch = (inner) => `<svg viewBox="0 0 26 12" aria-hidden="true">${inner}</svg>`;
  const line = (name) => swatch(`<line class="${name}" x1="0" x2="26" y1="6" y2="6"/>`);

  function drawRanking() {
    const device = $('device').value;
    const ranking = rankings[device] || [];
    $('scope').textContent = `Each point is a policy on ${device === '' ? (devices.length > 1 ? 'all phones' : devices[0]) : device}: ` +
      `its ${missWord} in % of the feasible deadlines, and its energy over that of ${reference} on the same recording and phone ` +
      '(geometric mean, weighted by frames). Down and left is better.';
    // Each policy has the same runs, so from any of them one finds where the one bound lies beside the other.
    const buffered = bounded && ranking.length && ranking[0].vs_buffered > 0 ? ranking[0].vs_strict / ranking[0].vs_buffered : 0;
    const shown = devices.length === 1 ? devices[0] : device;
    const sweeps = (data.sweeps || []).filter((each) => each.device === shown);
    $('legend').replaceChildren(...[
      [swatch('<circle class="point" cx="13" cy="6" r="5"/>'), 'on time'],
      [swatch('<circle class="point late" cx="13" cy="6" r="5"/>'), 'late'],
      ranked.length > 1 && [line('whisker'), '95 % interval'],
      [line('target'), `${limit} ${missWord}: left of it is on time`],
      [line('strict'), bounded ? '1: oracle-strict, knows every frame, one OPP per stage, ready at the next vsync' : '1: schedutil-boost (stock)'],
      buffered && [line('buffered'), `${number(buffered, 3)}: oracle-buffered, knows every frame, any speeds, one frame may wait`],
      sweeps.length && [line('sweep'), `${unique(sweeps.map((each) => each.policy)).join(', ')} with other targets (eps)`],
      ranking.some((row) => row.delays_others) && ['', "! delays other apps' work"],
    ].filter(Boolean).map(([picture, text]) => {
      const item = element('li');
      item.innerHTML = picture;
      item.append(text);
      return item;
    }));
    $('front').hidden = $('legend').hidden = !ranking.length;
    if (ranking.length) {
      frontChart($('front'), {
        points: ranking.map((row, i) => ({ name: row.policy + (row.delays_others ? '!' : ''), rank: i + 1, late: isLate(row),
          x: row.avoidable_rate, xLow: row.avoidable_low, xHigh: row.avoidable_high,
          y: energy(row), yLow: row.energy_low, yHigh: row.energy_high, title: `${row.policy}: ${missText(row)}, ${energyText(row)}` })),
        levels: [{ y: 1, className: 'strict' }, ...(buffered ? [{ y: buffered, className: 'buffered' }] : [])],
        target: onTime,
        curves: sweeps.map((each) => [...each.points].sort((a, b) => a.avoidable_rate - b.avoidable_rate)
          .map((p) => ({ x: p.avoidable_rate, y: p.energy }))),
        titles: { x: `${missWord}, % of feasible deadlines (√ scale)`, y: `energy, × ${reference}`,
          label: `Energy over ${missWord} of ${ranking.length} policies; the table below has the figures` },
      });
    }
    $('order').textContent = `In order of rank: on time first, by energy, those that delay others (!) behind those that do not; ` +
      `then the late ones by ${missWord}.`;
    const place = new Map(ranking.map((row, i) => [row, i + 1]));
    const column = (head, of, text, low, high) => ({ head, value: of, text: (row) => text(of(row)),
      less: low && ((row) => range(row[low], row[high], text)) });
    const three = (x) => (x > 0 ? number(x, 3) : '–');
    fill($('ranking'), [
      { head: '#', text: (row) => place.get(row), value: (row) => place.get(row) },
      { head: 'Policy', text: (row) => row.policy,
        less: (row) => (isLate(row) ? 'late' : row.delays_others ? 'on time !' : 'on time') + (isUnsure(row) ? ', unsure' : '') },
      ...(asksAvoidable ? [column('Avoidable misses, % (95 %)', (row) => row.avoidable_rate, share, 'avoidable_low', 'avoidable_high')] : []),
      column(`Energy, × ${reference} (95 %)`, energy, three, 'energy_low', 'energy_high'),
      column('All misses, % (95 %)', (row) => row.miss_rate, share, 'miss_low', 'miss_high'),
      ...(bounded ? [column('Energy, ×\u00a0oracle-buffered', (row) => row.vs_buffered, three),
        column('Energy, ×\u00a0schedutil-boost', (row) => row.vs_stock, three)] : []),
      { ...column("Others' work done, ×\u00a0schedutil-boost", (row) => row.others_vs_stock, three),
        text: (row) => three(row.others_vs_stock) + (row.delays_others ? '!' : '') },
      column('Writes per frame', (row) => row.writes_per_frame, number),
      { head: 'Pareto front', text: (row) => (row.on_front ? 'on it' : '') },
    ], ranking);
    $('ranking-note').textContent = 'Unsure: the interval has the limit inside. All misses: late although the fastest cluster at top speed would be in time. ' +
      (asksAvoidable ? 'Avoidable: those of them that full speed (performance, which so has none) meets in this world. ' : '') +
      "Others' work: 90th percentile of when other apps' work is done; ! more than a tenth later than under schedutil-boost. " +
      'Pareto front: no other policy has both less energy and fewer misses (all misses; one with ! beats none without).';
  }

  function drawScenes() {
    const device = $('device').value;
    const best = (a, b) => isLate(a) - isLate(b) || (isLate(a) ? a.avoidable_rate - b.avoidable_rate : 0) || a.energy - b.energy;
    $('scenes-note').textContent = `Energy in multiples of ${reference}, ${missWord} in % of the feasible deadlines, in the same ` +
      `order: on time by energy, then late by misses (○, red). Others' work is left out here. Bars begin at 0; each panel has its own scale.`;
    $('scenes').replaceChildren(...inputs.map((input) => {
      const list = policies.map((policy) => {
        const mine = runs.filter((r) => r.input === input && r.policy === policy && (device === '' || r.device === device) && r.frames > 0);
        const frames = sum(mine, (run) => run.frames);
        const feasible = sum(mine, (run) => run.feasible_frames);
        return { policy, frames, energy: Math.exp(sum(mine, (run) => run.frames * Math.log(ratioOf(run))) / frames),
          avoidable_rate: feasible ? sum(mine, avoidable) / feasible : 0 };
      }).filter((row) => row.energy > 0).sort(best);
      const panel = element('details', undefined, 'panel');
      panel.open = innerWidth >= 700;
      const summary = element('summary');
      summary.append(element('b', input.split('/').pop()), element('br'), !list.length ? 'no frames' : isLate(list[0]) ? 'no policy is on time'
        : `least energy on time: ${list[0].policy}, ${number(list[0].energy)} ×`,
      ranked.includes(input) ? '' : '; too short to be ranked');
      const head = element('div', undefined, 'bar head');
      head.append(element('span', 'policy'), element('span', ''), element('span', 'energy'), element('span', 'misses %'));
      panel.append(summary, head);
      const most = Math.max(...list.map((row) => row.energy));
      for (const row of list) {
        const bar = element('div', undefined, isLate(row) ? 'bar late' : 'bar');
        const track = element('div', undefined, 'track');
        const fillBar = element('div', undefined, 'fill');
        fillBar.style.width = (100 * row.energy / most).toFixed(1) + '%';
        track.append(fillBar);
        bar.append(element('span', `${isLate(row) ? '○' : '●'} ${row.policy}`), track, element('span', number(row.energy)),
          element('span', share(row.avoidable_rate), 'miss'));
        panel.append(bar);
      }
      return panel;
    }));
  }

  // --- One run ---

  let chosen = Math.max(0, runs.findIndex((run) => run.policy === (rankings[''] || [{}])[0]?.policy));

  function runFacts(run) {
    return `${plural(run.frames, 'frame')}, ${run.feasible_frames} feasible; ${run.missed_deadlines} missed (${share(run.miss_rate)} %)` +
      (known(run.avoidable_misses) ? `, ${run.avoidable_misses} of them avoidable` : '') +
      `. ${number(run.energy_mj, 1)} mJ, ${number(run.mean_power_mw, 0)} mW` +
      (ratioOf(run) > 0 ? `, ${number(ratioOf(run), 3)} × ${reference}` : '') + `. 95th percentile of generation time ${number(run.generation_ms.p95, 1)} ms.`;
  }

  async function drawRun() {
    const index = chosen;
    const run = runs[index];
    const timeline = timelines[index];
    const box = $('timeline');
    delete box.dataset.run;
    runChart.clear(box);
    if (!run) return;
    [$('run-input').value, $('run-device').value, $('run-policy').value] = [run.input, run.device, run.policy];
    $('run-name').textContent = `${run.policy} on ${run.device}: ${run.input}`;
    $('run-facts').textContent = runFacts(run);
    const leftOut = $('run-left-out');
    if (!timeline || !timeline.frames) {
      leftOut.textContent = timeline?.of ? 'Its frames are left out, so that the page can be sent.' : 'There are no frames to show.';
      box.dataset.run = index;
      return;
    }
    leftOut.textContent = timeline.frames < timeline.of
      ? `Shown are the first ${timeline.frames} of ${timeline.of} frames: the page keeps at most ${leftOut.dataset.mostFrames} of a run, and ${leftOut.dataset.mostMib} MiB of all.`
      : `All ${timeline.of} frames are shown.`;
    if (!window.DecompressionStream) {
      leftOut.textContent = 'This browser cannot unpack the frames (it lacks DecompressionStream). Open the page in a newer one.';
      return;
    }
    const frames = await runChart.unpack(timeline);
    if (index !== chosen) return;
    runChart.draw(box, frames, css);
    box.dataset.run = index;
  }

  function choose(index) {
    chosen = index;
    drawRun();
  }

  // --- Tables ---

  function drawLoop() {
    const loop = data.loop || [];
    $('loop-section').hidden = !loop.length;
    const column = (head, of, text = number) => ({ head, value: of, text: (row) => text(of(row)) });
    fill($('loop'), [{ head: 'Scene', text: (row) => row.scene }, { head: 'Policy', text: (row) => row.policy },
      ...[['p50', 'median, ms'], ['p95', '95th percentile, ms'], ['miss_rate', 'missed, %']].flatMap(([key, words]) =>
        [['phone', 'virtual phone'], ['sim', 'simulator']].map(([side, name]) =>
          column(`${name}: ${words}`, (row) => row[side]?.[key], key === 'miss_rate' ? share : number)))], loop);
  }

  function listRuns() {
    const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = runs.map((run, index) => ({ ...run, index }))
      .filter((run) => words.every((word) => `${run.input} ${run.device} ${run.policy}`.toLowerCase().includes(word)));
    $('found').textContent = `${found.length} of ${plural(runs.length, 'run')}. A policy's name shows that run above.`;
    const column = (head, of, text = number) => ({ head, value: of, text: (run) => text(of(run)) });
    const three = (x) => number(x, 3);
    fill($('runs'), [
      { head: 'Policy', sort: (run) => run.policy, text: (run) => {
        const button = element('button', run.policy);
        button.type = 'button';
        button.setAttribute('aria-label', `${run.policy} on ${run.device}: ${run.input}`);
        button.addEventListener('click', () => {
          choose(run.index);
          $('run-title').scrollIntoView();
          $('run-policy').focus({ preventScroll: true });
        });
        return button;
      } },
      { head: 'Phone', text: (run) => run.device }, { head: 'Recording', text: (run) => run.input },
      column('Frames', (run) => run.frames, String), column('Missed, % of feasible', (run) => run.miss_rate, share),
      column('Avoidable misses', (run) => run.avoidable_misses, (x) => (known(x) ? x : '–')),
      column('Energy, mJ', (run) => run.energy_mj, (x) => number(x, 1)), column('Power, mW', (run) => run.mean_power_mw, (x) => number(x, 1)),
      column('Generation p95, ms', (run) => run.generation_ms.p95), column('Energy, ×\u00a0oracle-strict', (run) => run.vs_strict, three),
      column('Energy, ×\u00a0oracle-buffered', (run) => run.vs_buffered, three), column('Energy, ×\u00a0schedutil-boost', (run) => run.vs_stock, three),
      column('Writes', (run) => run.writes, String)], found);
  }

  function drawRepeat() {
    $('repeat-section').hidden = !meta.inputs;
    if (!meta.inputs) return;
    const rows = [['Program', 'framegov', meta.version], ...Object.entries(settings).map(([name, value]) => ['Setting', name, value]),
      ...meta.inputs.map((each) => ['Recording', each.name, each.sha256 ? `SHA-256 ${each.sha256}` : 'generated']),
      ...meta.devices.map((each) => ['Phone', each.name, each.sha256 ? `SHA-256 ${each.sha256}` : '']),
      ...meta.policies.map((each) => ['Policy', each.name,
        Object.entries(each.parameters).map(([name, value]) => `${name} ${value}`).join(', ')])];
    fill($('repeat'), ['What', 'Name', 'Value'].map((head, i) => ({ head, text: (row) => row[i] })), rows);
  }

  function drawAll() {
    drawRanking();
    drawScenes();
    drawRun();
  }

  $('device').append(...(devices.length > 1 ? [option('', 'all phones')] : []), ...devices.map((name) => option(name)));
  $('run-input').append(...inputs.map((name) => option(name)));
  $('run-device').append(...devices.map((name) => option(name)));
  $('run-policy').append(...policies.map((name) => option(name)));
  $('run-section').hidden = !timelines.length;
  for (const id of ['run-input', 'run-device', 'run-policy']) {
    $(id).addEventListener('change', () => {
      const index = runs.findIndex((run) => run.input === $('run-input').value && run.device === $('run-device').value &&
        run.policy === $('run-policy').value);
      if (index >= 0) choose(index);
    });
  }
  root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  $('theme').addEventListener('click', () => {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    drawRun();
  });
  $('device').addEventListener('change', () => { drawRanking(); drawScenes(); });
  $('search').addEventListener('input', listRuns);
  let resizing;
  let before = innerWidth;
  addEventListener('resize', () => {
    clearTimeout(resizing);
    if (before !== innerWidth) resizing = setTimeout(drawAll, 150);
    before = innerWidth;
  });
  summarise();
  drawLoop();
  listRuns();
  drawRepeat();
  drawAll();
  root.dataset.ready = 'true';
})();
