import { useRef, useState } from 'preact/hooks';
import { ActionButton } from '../../../../ui/ActionButton';
import { Card, Hint } from '../../../../ui/Card';
import { Field, Form } from '../../../../ui/Form';
import { formatTimeOfDay } from '../../../../ui/format';
import { useInterval } from '../../../../ui/live';
import { showToast } from '../../../../ui/Toast';
import { control } from '../client';
import { useData } from '../../useData';

const TICK_MS = 250;

const steps = [
	{ name: '1 minute', milliseconds: 60_000 },
	{ name: '10 minutes', milliseconds: 600_000 },
	{ name: '1 hour', milliseconds: 3_600_000 },
	{ name: '1 day', milliseconds: 86_400_000 },
];
const dayName = new Intl.DateTimeFormat(undefined, {
	weekday: 'long',
	day: 'numeric',
	month: 'long',
	year: 'numeric',
});

/** The sandbox's clock: shows, advances and pauses it. */
export function Clock() {
	const { data: clock, refresh } = useData(['clock'], async () => {
		const state = await control.call('GET clock');
		return { ...state, readAt: performance.now() };
	});

	async function advance(milliseconds: number, name: string): Promise<void> {
		await control.call('POST clock/advance', { body: { milliseconds } });
		await refresh();
		showToast(`Clock advanced by ${name}`);
	}

	async function toggle(): Promise<void> {
		const { running } = await control.call(clock?.running ? 'POST clock/freeze' : 'POST clock/run');
		await refresh();
		showToast(running ? 'Clock running' : 'Clock paused');
	}

	async function set(now: string): Promise<void> {
		await control.call('POST clock/set', { body: { now: new Date(now).toISOString() } });
		await refresh();
		showToast('Clock set');
	}
	return (
		<div class="columns even">
			<Card title="Sandbox clock">
				<div class="clock">
					{clock && <RunningTime {...clock} />}
					<p class="hint" id="clock-state">
						{clock && `${clock.running ? 'Running' : 'Paused'}, ${compare(clock.ahead_milliseconds)}`}
					</p>
				</div>
				<div class="buttons">
					{steps.map(({ name, milliseconds }) => (
						<ActionButton key={name} act={async () => await advance(milliseconds, name)}>
							+ {name}
						</ActionButton>
					))}
				</div>
				<div class="buttons">
					{clock && <ActionButton act={toggle}>{clock.running ? 'Pause clock' : 'Run clock'}</ActionButton>}
				</div>
			</Card>
			<Card title="Skip the wait">
				<Hint>
					Advance the clock, and everything due happens immediately: scheduled messages go out, codes expire and failed
					callbacks are retried.
				</Hint>
				<Form action="Set clock" layout="line" submit={async ({ now }) => await set(String(now))}>
					<Field
						name="now"
						label="Advance to"
						kind="datetime"
						required
						hint="In your time zone. The clock only moves forward."
						step={1}
					/>
				</Form>
			</Card>
		</div>
	);
}

interface RunningTimeProps {
	readonly now: string;
	readonly running: boolean;
	/** When `now` was read, in milliseconds of the page. */
	readonly readAt: number;
}

function RunningTime({ now, running, readAt }: RunningTimeProps) {
	const [, setTick] = useState(0);
	const ticks = useRef(0);
	useInterval(() => {
		ticks.current += 1;
		setTick(ticks.current);
	}, TICK_MS);
	const passed = running ? performance.now() - readAt : 0;
	const time = new Date(Date.parse(now) + passed);
	return (
		<>
			<p class="clock-time">{formatTimeOfDay(time)}</p>
			<p class="clock-day">{dayName.format(time)}</p>
		</>
	);
}

function compare(ahead: number): string {
	if (Math.abs(ahead) < 1000) return 'same as this machine’s clock';
	const seconds = Math.round(Math.abs(ahead) / 1000);
	const parts: readonly (readonly [count: number, unit: string])[] = [
		[Math.floor(seconds / 86_400), 'd'],
		[Math.floor(seconds / 3600) % 24, 'h'],
		[Math.floor(seconds / 60) % 60, 'min'],
		[seconds % 60, 's'],
	];
	const length = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
	return `${length.join(' ')} ${ahead < 0 ? 'behind' : 'ahead of'} this machine’s clock`;
}
