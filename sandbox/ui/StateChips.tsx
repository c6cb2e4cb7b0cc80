import { type Chip, Chips } from '../../ui/Chips';
import { toUrl } from '../../ui/router';
import type { ClockState } from '../control/clock';
import { control } from './control';
import { useData } from './useData';

const UNITS = [
	['d', 86_400_000],
	['h', 3_600_000],
	['min', 60_000],
	['s', 1000],
] as const;

/** Links to what makes the sandbox behave unlike a new one: a moved clock, and waiting faults. */
export function StateChips({ clock }: { readonly clock: ClockState | undefined }) {
	const { data: faults } = useData(['faults'], async () => await control.call('GET faults'));
	const waiting = faults?.length ?? 0;
	const clockText = clock && describeClock(clock);
	const chips: Chip[] = [];
	// The phone and the checkout show chips as well, so the links name the dashboard's path.
	const hrefOf = (section: string) => `/${toUrl(section)}`;
	if (clockText) chips.push({ text: clockText, href: hrefOf('clock') });
	if (waiting > 0)
		chips.push({ text: waiting === 1 ? '1 fault waiting' : `${waiting} faults waiting`, href: hrefOf('faults') });
	return <Chips chips={chips} />;
}

function describeClock({ running, ahead_milliseconds: ahead }: ClockState): string {
	if (!running) return 'Clock stopped';
	if (Math.abs(ahead) < 1000) return '';
	return `Clock ${ahead < 0 ? '−' : '+'}${formatLength(Math.abs(ahead))}`;
}

/** Formats a length of time with its two largest units: `1 d 2 h`. */
function formatLength(milliseconds: number): string {
	let rest = Math.round(milliseconds / 1000) * 1000;
	const parts = UNITS.flatMap(([unit, length]) => {
		const count = Math.floor(rest / length);
		rest %= length;
		return count > 0 ? [`${count} ${unit}`] : [];
	});
	return parts.slice(0, 2).join(' ');
}
