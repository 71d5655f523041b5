// SPDX-License-Identifier: Apache-2.0
// Energy over misses as SVG: a point for each policy, its intervals, its name where nothing else is.
const frontChart = (() => {
  'use strict';
  const make = (tag, attributes, text) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const hits = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  const holds = (box, p) => p.x > box.x && p.x < box.x + box.w && p.y > box.y && p.y < box.y + box.h;
  // Points along a line, some 5 px apart.
  const along = (a, b) => {
    const steps = Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 5) || 1;
    return Array.from({ length: steps + 1 }, (_, i) => ({ x: a.x + (b.x - a.x) * i / steps, y: a.y + (b.y - a.y) * i / steps }));
  };
  const side = (direction) => (Math.abs(direction) < 0.3 ? 0 : Math.sign(direction));

  // Steps of 1, 2 or 5 times a power of ten.
  function roundTicks(low, high, most) {
    const rough = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((x) => x * power >= rough * (1 - 1e-9));
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(i * step);
    return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  // The place nearest to its point where a text meets neither texts nor points nor the frame, and few lines.
  function place(label, taken, lines, frame) {
    let best = null;
    for (const radius of [9, 14, 22, 32, 44, 58, 76, 100, 130, 170]) {
      for (let turn = 0; turn < 16; ++turn) {
        const [dx, dy] = [Math.cos(Math.PI * turn / 8), Math.sin(Math.PI * turn / 8)];
        const box = { w: label.w, h: label.h, x: label.x + dx * radius - label.w * (1 - side(dx)) / 2,
          y: label.y + dy * radius - label.h * (1 - side(dy)) / 2 };
        if (box.x < frame.x || box.y < frame.y || box.x + box.w > frame.x + frame.w ||
          box.y + box.h > frame.y + frame.h || taken.some((other) => hits(box, other))) continue;
        const end = { x: Math.min(Math.max(label.x, box.x), box.x + box.w),
          y: Math.min(Math.max(label.y, box.y), box.y + box.h) };
        const leader = along(label, end);
        const cost = radius + 3 * lines.filter((p) => holds(box, p)).length +
          20 * leader.filter((p, i) => i > 1 && taken.some((other) => holds(other, p))).length;
        if (!best || cost < best.cost) best = { cost, box, end, leader, far: radius > 14 };
      }
      if (best && best.cost <= radius) break;
    }
    return best;
  }

  /**
   * Draws into `box`. `points`: [{name, rank, late, x, xLow, xHigh, y, yLow, yHigh}], x a share of deadlines;
   * `levels`: [{y, className}]; `target`: an x; `curves`: [[{x, y}]]; `titles`: {x, y, label}.
   */
  return (box, { points, levels, target, curves, titles }) => {
    const width = Math.max(240, box.clientWidth - 18);
    const height = width < 500 ? 420 : 440;
    const frame = { x: 52, y: 10, w: width - 64, h: height - 62 };
    const svg = make('svg', { width, height, role: 'img', 'aria-label': titles.label });
    box.replaceChildren(svg);
    const add = (tag, attributes, text) => svg.appendChild(make(tag, attributes, text));

    // Misses span decades and include zero: a square root shows both ends.
    const xMost = Math.sqrt(Math.max(target * 4, ...points.map((p) => p.xHigh)) * 1.08);
    const xAt = (share) => frame.x + frame.w * Math.sqrt(share) / xMost;
    const ys = [...points.flatMap((p) => [p.yLow, p.yHigh]), ...levels.map((l) => l.y)];
    const pad = Math.max(0.05, (Math.max(...ys) - Math.min(...ys)) * 0.06);
    const yLow = Math.max(0, Math.min(...ys) - pad);
    const yHigh = Math.max(...ys) + pad;
    const yAt = (y) => frame.y + frame.h * (yHigh - y) / (yHigh - yLow);

    let free = -Infinity;
    for (const share of [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1]) {
      const x = xAt(share);
      if (x < free || x > frame.x + frame.w) continue;
      free = x + 34;
      add('line', { class: 'grid-line', x1: x, x2: x, y1: frame.y, y2: frame.y + frame.h });
      add('text', { class: 'tick', x, y: frame.y + frame.h + 16, 'text-anchor': 'middle' }, `${+(100 * share).toFixed(1)}`);
    }
    const { ticks, digits } = roundTicks(yLow, yHigh, 7);
    for (const tick of ticks) {
      add('line', { class: 'grid-line', x1: frame.x, x2: frame.x + frame.w, y1: yAt(tick), y2: yAt(tick) });
      add('text', { class: 'tick', x: frame.x - 6, y: yAt(tick) + 4, 'text-anchor': 'end' }, tick.toFixed(digits));
    }
    add('text', { class: 'axis', x: width / 2, y: height - 12, 'text-anchor': 'middle' }, titles.x);
    add('text', { class: 'axis', 'text-anchor': 'middle',
      transform: `translate(13 ${frame.y + frame.h / 2}) rotate(-90)` }, titles.y);

    const lines = [];
    const stroke = (className, a, b) => {
      add('line', { class: className, x1: a.x, x2: b.x, y1: a.y, y2: b.y });
      lines.push(...along(a, b));
    };
    for (const { y, className } of levels) stroke(className, { x: frame.x, y: yAt(y) }, { x: frame.x + frame.w, y: yAt(y) });
    stroke('target', { x: xAt(target), y: frame.y }, { x: xAt(target), y: frame.y + frame.h });
    for (const curve of curves) {
      add('polyline', { class: 'sweep', points: curve.map((p) => `${xAt(p.x)},${yAt(p.y)}`).join(' ') });
    }
    for (const p of points) {
      stroke('whisker', { x: xAt(p.xLow), y: yAt(p.y) }, { x: xAt(p.xHigh), y: yAt(p.y) });
      stroke('whisker', { x: xAt(p.x), y: yAt(p.yLow) }, { x: xAt(p.x), y: yAt(p.yHigh) });
    }
    const taken = points.map((p) => ({ x: xAt(p.x) - 6, y: yAt(p.y) - 6, w: 12, h: 12 }));
    for (const p of points) {
      const at = { x: xAt(p.x), y: yAt(p.y) };
      const label = add('text', { class: 'label' });
      // The name, or where that finds no place its number in the table.
      for (const text of [p.name, `${p.rank}`]) {
        label.textContent = text;
        const found = place({ ...at, w: label.getComputedTextLength() + 4, h: 15 }, taken, lines, frame);
        if (found) {
          label.setAttribute('x', found.box.x + 2);
          label.setAttribute('y', found.box.y + 12);
          if (found.far) {
            stroke('leader', at, found.end);
          }
          taken.push(found.box);
          break;
        }
        label.textContent = '';
      }
    }
    for (const p of points) {
      const circle = add('circle', { class: p.late ? 'point late' : 'point', cx: xAt(p.x), cy: yAt(p.y), r: 5 });
      circle.append(make('title', {}, p.title));
    }
  };
})();
