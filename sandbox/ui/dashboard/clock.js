import { control } from './call.js';
import { field, form } from './form.js';
import { make, setText } from './make.js';
import { tellNews } from './news.js';
import { actionButton } from './problem.js';
import { card, hint } from './section.js';

const STEPS = [
	['1 minute', 60_000],
	['10 minutes', 600_000],
	['1 hour', 3_600_000],
	['1 day', 86_400_000],
];
const clockTime = new Intl.DateTimeFormat(undefined, {
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
	hourCycle: 'h23',
});
const dayName = new Intl.DateTimeFormat(undefined, {
	weekday: 'long',
	day: 'numeric',
	month: 'long',
	year: 'numeric',
});

/** The sandbox's own time: looking at it, moving it on, stopping it. */
export const clock = {
	title: 'Clock',
	kinds: ['clock'],
	open() {
		let state;
		let readAt = 0;
		const timeLine = make('p', { class: 'clock-time' });
		const dayLine = make('p', { class: 'clock-day' });
		const aheadLine = make('p', { class: 'hint', id: 'clock-state' });
		const advance = ([words, milliseconds]) =>
			actionButton({
				words: `+ ${words}`,
				act: async () => {
					show(await control('POST', 'clock/advance', { milliseconds }));
					tellNews(`The clock was moved on by ${words}`);
				},
			});
		const running = make('span', {});
		const toggle = actionButton({
			words: running,
			act: async () => {
				show(await control('POST', state.running ? 'clock/freeze' : 'clock/run'));
				tellNews(state.running ? 'The clock runs' : 'The clock stands still');
			},
		});
		const moment = field({
			name: 'now',
			label: 'Move on to',
			kind: 'datetime',
			required: true,
			hint: 'In your own time zone; it goes ahead only',
			attributes: { step: 1 },
		});
		const setting = form({
			fields: [moment],
			action: 'Set',
			layout: 'line',
			submit: async ({ now }) => {
				show(await control('POST', 'clock/set', { now: new Date(now).toISOString() }));
				tellNews('The clock was set');
			},
		});

		function show(read) {
			state = read;
			readAt = performance.now();
			setText(running, read.running ? 'Freeze it' : 'Let it run');
			const ahead = read.ahead_milliseconds;
			const place = Math.abs(ahead) < 1000 ? 'as this machine’s clock' : `${duration(ahead)} this machine’s clock`;
			setText(aheadLine, `${read.running ? 'Running' : 'Standing still'}, ${place}`);
			tick();
		}

		function tick() {
			if (!state) return;
			const passed = state.running ? performance.now() - readAt : 0;
			const now = new Date(Date.parse(state.now) + passed);
			setText(timeLine, clockTime.format(now));
			setText(dayLine, dayName.format(now));
		}
		const ticking = setInterval(tick, 250);
		return {
			element: make(
				'div',
				{ class: 'columns even' },
				card(
					'The sandbox’s time',
					make('div', { class: 'clock' }, timeLine, dayLine, aheadLine),
					make('div', { class: 'buttons' }, ...STEPS.map(advance)),
					make('div', { class: 'buttons' }, toggle),
				),
				card(
					'Do not wait',
					hint(
						'Move the time on and what was due happens at once: scheduled messages go out, codes expire, failed callbacks are posted again.',
					),
					setting.element,
				),
			),
			refresh: async () => show(await control('GET', 'clock')),
			close: () => clearInterval(ticking),
		};
	},
};

function duration(milliseconds) {
	const seconds = Math.round(Math.abs(milliseconds) / 1000);
	const parts = [
		[Math.floor(seconds / 86_400), 'd'],
		[Math.floor(seconds / 3600) % 24, 'h'],
		[Math.floor(seconds / 60) % 60, 'min'],
		[seconds % 60, 's'],
	].filter(([count]) => count > 0);
	const words = parts.map(([count, unit]) => `${count} ${unit}`).join(' ');
	return `${words} ${milliseconds < 0 ? 'behind' : 'ahead of'}`;
}
