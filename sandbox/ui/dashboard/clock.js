import { control } from './call.js';
import { field, form } from './form.js';
import { make, setText } from './make.js';
import { showToast } from './toast.js';
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

/** The sandbox's clock: shows, advances and pauses it. */
export const clock = {
	title: 'Clock',
	kinds: ['clock'],
	open() {
		let state;
		let readAt = 0;
		const timeLine = make('p', { class: 'clock-time' });
		const dayLine = make('p', { class: 'clock-day' });
		const aheadLine = make('p', { class: 'hint', id: 'clock-state' });
		const advance = ([step, milliseconds]) =>
			actionButton({
				words: `+ ${step}`,
				act: async () => {
					show(await control('POST', 'clock/advance', { milliseconds }));
					showToast(`Clock advanced by ${step}`);
				},
			});
		const running = make('span', {});
		const toggle = actionButton({
			words: running,
			act: async () => {
				show(await control('POST', state.running ? 'clock/freeze' : 'clock/run'));
				showToast(state.running ? 'Clock running' : 'Clock paused');
			},
		});
		const moment = field({
			name: 'now',
			label: 'Advance to',
			kind: 'datetime',
			required: true,
			hint: 'In your time zone. The clock only moves forward.',
			attributes: { step: 1 },
		});
		const setting = form({
			fields: [moment],
			action: 'Set clock',
			layout: 'line',
			submit: async ({ now }) => {
				show(await control('POST', 'clock/set', { now: new Date(now).toISOString() }));
				showToast('Clock set');
			},
		});

		function show(read) {
			state = read;
			readAt = performance.now();
			setText(running, read.running ? 'Pause clock' : 'Run clock');
			const ahead = read.ahead_milliseconds;
			const place = Math.abs(ahead) < 1000 ? 'same as this machine’s clock' : `${duration(ahead)} this machine’s clock`;
			setText(aheadLine, `${read.running ? 'Running' : 'Paused'}, ${place}`);
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
					'Sandbox clock',
					make('div', { class: 'clock' }, timeLine, dayLine, aheadLine),
					make('div', { class: 'buttons' }, ...STEPS.map(advance)),
					make('div', { class: 'buttons' }, toggle),
				),
				card(
					'Skip the wait',
					hint(
						'Advance the clock, and everything due happens immediately: scheduled messages go out, codes expire and failed callbacks are retried.',
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
	const length = parts.map(([count, unit]) => `${count} ${unit}`).join(' ');
	return `${length} ${milliseconds < 0 ? 'behind' : 'ahead of'}`;
}
