// SPDX-License-Identifier: Apache-2.0
// One run frame by frame: charts that zoom together.
const runChart = (() => {
  'use strict';
  const charts = [];

  function clear(box) {
    charts.splice(0).forEach((chart) => chart.destroy());
    box.replaceChildren();
  }

  // RunTimeline::pack() says how they are packed.
  async function unpack(timeline) {
    const bytes = Uint8Array.from(atob(timeline.packed), (c) => c.charCodeAt(0));
    const deltas = new Int32Array(await new Response(new Blob([bytes]).stream()
      .pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
    let at = 0;
    const column = (count, unit) => {
      let value = 0;
      return Array.from(deltas.subarray(at, at += count), (delta) => (value += delta) * unit);
    };
    const frames = (unit) => column(timeline.frames, unit);
    const unpacked = { t: frames(1e-5), generation: frames(0.01), budget: frames(0.01), work: frames(0.01), state: frames(1) };
    unpacked.clusters = timeline.clusters.map(({ name, points }) => ({ name, t: column(points, 1e-5), cap: column(points, 1),
      floor: column(points, 1), current: column(points, 1) }));
    return unpacked;
  }

  // `css` gives the value of a variable of the style sheet.
  function draw(box, frames, css) {
    clear(box);
    const { t } = frames;
    const end = t[t.length - 1] + frames.generation[t.length - 1] / 1000;
    let busy = false;
    const zoomAll = (min, max) => {
      if (busy) return;
      busy = true;
      charts.forEach((chart) => chart.setScale('x', { min, max }));
      busy = false;
    };
    const axis = (label, size) => ({ stroke: css('--soft'), grid: { stroke: css('--line'), width: 1 },
      ticks: { stroke: css('--line') }, label, labelSize: 22, labelFont: '12px system-ui, sans-serif', size,
      font: '12px system-ui, sans-serif', values: (u, ticks) => ticks.map((x) => +x.toFixed(4)) });
    const add = (title, unit, height, columns, series, digits) => {
      const holder = document.createElement('div');
      holder.className = 'chart';
      holder.tabIndex = 0;
      holder.setAttribute('role', 'img');
      holder.setAttribute('aria-label', `${title}, ${unit}`);
      box.append(holder);
      const value = (suffix, places) => (u, v) => (v !== null && v !== undefined ? `${v.toFixed(places)} ${suffix}` : '–');
      const chart = new uPlot({ title, width: Math.max(240, holder.clientWidth - 18), height, cursor: { sync: { key: 'run' } },
        scales: { x: { time: false }, y: { range: (u, low, high) => [0, Math.max(high, 1e-3) * 1.08] } },
        axes: [axis('time since the first vsync, s', 34), axis(unit.split(' ')[0], 56)],
        series: [{ label: 'time', value: value('s', 3) }, ...series.map((each) => ({ value: value(unit.split(' ')[0], digits), ...each }))],
        hooks: { setScale: [(u, key) => key === 'x' && zoomAll(u.scales.x.min, u.scales.x.max)] } }, columns, holder);
      holder.addEventListener('keydown', (event) => {
        const { min, max } = chart.scales.x;
        const span = max - min;
        const moves = { '+': [min + span / 4, max - span / 4], '-': [min - span / 2, max + span / 2],
          ArrowLeft: [min - span / 5, max - span / 5], ArrowRight: [min + span / 5, max + span / 5], 0: [0, end] };
        if (moves[event.key]) {
          zoomAll(...moves[event.key]);
          event.preventDefault();
        }
      });
      charts.push(chart);
    };
    const those = (state) => frames.generation.map((ms, i) => (frames.state[i] === state ? ms : null));
    const dots = (color, size) => ({ stroke: css(color), paths: () => null, points: { show: true, size, fill: css(color) } });
    const none = { show: false };
    add('Generation time (vsync to ready) and deadline', 'ms', 260, [t, frames.generation, frames.budget, those(2), those(1)],
      [{ label: 'generation', stroke: css('--accent'), width: 1, points: none },
        { label: 'deadline', stroke: css('--soft'), width: 1, dash: [6, 4], points: none },
        { label: 'missed', ...dots('--bad', 7) },
        { label: 'late, not counted', ...dots('--soft', 5) }], 2);
    add('Work of the frame', 'Mcycles of the fastest core', 170, [t, frames.work],
      [{ label: 'work', stroke: css('--floor'), width: 1, points: none }], 2);
    for (const cluster of frames.clusters) {
      const stepped = uPlot.paths.stepped({ align: 1 });
      const columns = ['t', 'cap', 'floor', 'current'].map((name) => {
        const column = cluster[name];
        const all = [...column, name === 't' ? Math.max(end, column[column.length - 1]) : column[column.length - 1]];
        return name === 't' || name === 'current' ? all : all.map((x) => (x > 0 ? x : null));
      });
      add(`${cluster.name}: frequency and limits`, 'MHz', 190, columns,
        [{ label: 'cap', stroke: css('--cap'), paths: stepped, dash: [6, 4], points: none },
          { label: 'floor', stroke: css('--floor'), paths: stepped, dash: [2, 3], points: none },
          { label: 'frequency', stroke: css('--accent'), paths: stepped, points: none }], 0);
    }
  }

  return { clear, unpack, draw };
})();
