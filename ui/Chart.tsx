import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from './format';

const HEIGHT = 150;
const TOP = 12;
const BOTTOM = 22;
const ROOM = HEIGHT - TOP - BOTTOM;
const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** A bar of a {@link Chart}. */
export interface Bar {
	/** Start of the hour or day, ISO 8601. */
	readonly from: string;
	readonly value: number;
}

/** Properties of {@link Chart}. */
export interface ChartProps {
	readonly name: string;
	readonly bars: readonly Bar[];
	/** Width of a bar. */
	readonly by: 'hour' | 'day';
	readonly format?: (value: number) => string;
	/** Before the total, such as a currency. */
	readonly unit?: string;
}

/**
 * A bar chart over time. It is drawn at the width of its card, so its text never shrinks. Its name for screen readers
 * refers to a table below it, which the page must have.
 */
export function Chart({ name, bars, by, format = formatCount, unit = '' }: ChartProps) {
	const figure = useRef<HTMLElement>(null);
	const [width, setWidth] = useState(0);
	useLayoutEffect(() => {
		const element = figure.current;
		if (!element) return undefined;
		const observer = new ResizeObserver(() => setWidth(element.clientWidth));
		observer.observe(element);
		setWidth(element.clientWidth);
		return () => observer.disconnect();
	}, []);

	const total = `${unit} ${format(bars.reduce((sum, { value }) => sum + value, 0))}`.trim();
	const label = (from: string) => (by === 'hour' ? hour : day).format(new Date(from));
	const top = scaleTop(Math.max(0, ...bars.map(({ value }) => value)));
	const rules = [0, top / 2, top].map((value) => ({ value, label: format(value) }));
	// A digit has about 6.2 pixels.
	const left = Math.max(...rules.map(({ label: text }) => text.length)) * 6.5 + 14;
	const y = (value: number) => TOP + ROOM - (Math.max(0, value) / top) * ROOM;
	const step = bars.length === 0 ? 0 : (width - left) / bars.length;
	const every = Math.ceil(bars.length / Math.max(2, Math.floor((width - left) / 84)));
	const marks = bars.flatMap(({ from }, index) => {
		const last = index === bars.length - 1;
		const x = last ? width : left + (index + 0.5) * step;
		// Counted from the end, so the newest bar always has a label.
		if ((bars.length - 1 - index) % every !== 0 || (!last && x - 30 < left - 12)) return [];
		return [{ from, x, anchor: last ? ('end' as const) : ('middle' as const) }];
	});
	return (
		<figure class="chart" ref={figure}>
			<figcaption>
				<span>{name}</span>
				<strong>{bars.length > 0 && total}</strong>
			</figcaption>
			<svg
				role="img"
				width={width}
				height={HEIGHT}
				viewBox={`0 0 ${width} ${HEIGHT}`}
				aria-label={`${name} in the last ${bars.length} ${by}s: ${total}. The table below lists each ${by}.`}
			>
				{width > 0 && bars.length > 0 && (
					<>
						{rules.map(({ value, label: text }) => (
							<g key={value}>
								<line class="rule" x1={left} x2={width} y1={y(value)} y2={y(value)} />
								<text x={left - 8} y={y(value) + 4} text-anchor="end">
									{text}
								</text>
							</g>
						))}
						{bars.map(({ from, value }, index) => (
							<g class="slot" key={from}>
								<title>{`${label(from)}: ${format(value)}`}</title>
								<rect class="touch" x={left + index * step} y={TOP} width={step} height={ROOM} />
								<rect
									class="bar"
									x={left + (index + 0.15) * step}
									y={y(value)}
									width={step * 0.7}
									height={Math.max(value > 0 ? 2 : 0, HEIGHT - BOTTOM - y(value))}
									rx={Math.min(3, step * 0.2)}
								/>
							</g>
						))}
						{marks.map(({ from, x, anchor }) => (
							<text key={from} x={x} y={HEIGHT - 5} text-anchor={anchor}>
								{label(from)}
							</text>
						))}
					</>
				)}
			</svg>
		</figure>
	);
}

/** Returns the next of 1, 2, 4, 10, 20, 40, … above a value, so the half is a round number, too. */
function scaleTop(value: number): number {
	if (value <= 0) return 2;
	const power = 10 ** Math.floor(Math.log10(value));
	const factor = [1, 2, 4, 10].find((one) => one * power >= value) ?? 10;
	return factor * power;
}
