import { formatCount } from './format.js';
import { make, makeSvg, setText } from './make.js';

const HEIGHT = 150;
const LEFT = 44;
const TOP = 12;
const BOTTOM = 22;
const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/**
 * Makes a bar chart over time. It is drawn at the width of its card, so its text never shrinks.
 * @param {string} name
 * @param {(value: number) => string} write
 */
export function chart(name, write = formatCount) {
	const heading = make('span', {}, name);
	const sum = make('strong', {});
	const drawing = makeSvg('svg', { role: 'img', height: HEIGHT });
	const element = make('figure', { class: 'chart' }, make('figcaption', {}, heading, sum), drawing);
	let shown;
	const observer = new ResizeObserver(() => draw());
	observer.observe(element);

	function draw() {
		const width = element.clientWidth;
		if (!shown || width === 0) return;
		const { values, by } = shown;
		const top = scaleTop(Math.max(...values.map(({ value }) => value)));
		const room = HEIGHT - TOP - BOTTOM;
		const step = (width - LEFT) / values.length;
		const y = (value) => TOP + room - (Math.max(0, value) / top) * room;
		const lines = [0, top / 2, top].map((value) => [
			makeSvg('line', { class: 'rule', x1: LEFT, x2: width, y1: y(value), y2: y(value) }),
			makeSvg('text', { x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, write(value)),
		]);
		const bars = values.map(({ from, value }, index) => {
			const high = HEIGHT - BOTTOM - y(value);
			const group = makeSvg('g', { class: 'slot' });
			const at = LEFT + index * step;
			group.append(
				makeSvg('title', {}, `${label(from, by)}: ${write(value)}`),
				makeSvg('rect', { class: 'touch', x: at, y: TOP, width: step, height: room }),
				makeSvg('rect', {
					class: 'bar',
					x: at + step * 0.15,
					y: y(value),
					width: step * 0.7,
					height: Math.max(value > 0 ? 2 : 0, high),
					rx: Math.min(3, step * 0.2),
				}),
			);
			return group;
		});
		const every = Math.ceil(values.length / Math.max(2, Math.floor((width - LEFT) / 84)));
		const marks = values.flatMap(({ from }, index) => {
			// Counted from the end, so the newest bar always has a label.
			if ((values.length - 1 - index) % every !== 0) return [];
			const last = index === values.length - 1;
			const x = last ? width : LEFT + (index + 0.5) * step;
			if (!last && x - 30 < LEFT - 12) return [];
			return [makeSvg('text', { x, y: HEIGHT - 5, 'text-anchor': last ? 'end' : 'middle' }, label(from, by))];
		});
		drawing.setAttribute('width', String(width));
		drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
		drawing.replaceChildren(...lines.flat(), ...bars, ...marks);
	}

	return {
		element,
		show: (values, by, unit = '') => {
			shown = { values, by };
			const total = values.reduce((all, { value }) => all + value, 0);
			const totalText = `${unit} ${write(total)}`.trim();
			setText(sum, totalText);
			const span = by === 'hour' ? 'hour' : 'day';
			drawing.setAttribute(
				'aria-label',
				`${name} in the last ${values.length} ${span}s: ${totalText}. The table below lists each ${span}.`,
			);
			draw();
		},
		close: () => observer.disconnect(),
	};
}

function label(from, by) {
	return (by === 'hour' ? hour : day).format(new Date(from));
}

/** Returns the next of 1, 2, 4, 10, 20, 40, … above a value, so the half is a round number, too. */
function scaleTop(value) {
	if (value <= 0) return 2;
	const power = 10 ** Math.floor(Math.log10(value));
	const factor = [1, 2, 4, 10].find((one) => one * power >= value) ?? 10;
	return factor * power;
}
