import { useEffect, useState } from 'preact/hooks';
import { createLive, LiveContext } from '../../ui/live';
import { StateChips } from './StateChips';
import { useClock } from './useClock';

/** The {@link StateChips} of a page that follows no other changes of the sandbox. */
export function OwnStateChips() {
	const [live] = useState(() => createLive('/_sandbox/events'));
	useEffect(() => () => live.stop(), [live]);
	return (
		<LiveContext.Provider value={live}>
			<ClockAndFaults />
		</LiveContext.Provider>
	);
}

function ClockAndFaults() {
	const { clock } = useClock();
	return <StateChips clock={clock} />;
}
