import { useMemo } from 'preact/hooks';
import type { ClockState } from '../control/clock';
import type { Now } from '../../ui/clock';
import { control } from './control';
import { useData } from './useData';

/** Returns the sandbox's clock, undefined until it has arrived, and a function that reads it. */
export function useClock(): { readonly clock: ClockState | undefined; readonly now: Now } {
	const { data } = useData(['clock'], async () => {
		const clock = await control.call('GET clock');
		return { clock, readAt: performance.now() };
	});
	const now = useMemo<Now>(() => {
		if (!data) return () => new Date();
		const { clock, readAt } = data;
		return () => new Date(Date.parse(clock.now) + (clock.running ? performance.now() - readAt : 0));
	}, [data]);
	return { clock: data?.clock, now };
}
