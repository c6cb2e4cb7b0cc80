import type { ComponentType } from 'preact';
import { NowContext } from '../../../ui/clock';
import { Confirmation } from '../../../ui/Dialog';
import { Frame, type SectionProps } from '../../../ui/Frame';
import { type Live, LiveContext } from '../../../ui/live';
import { Toast } from '../../../ui/Toast';
import { Callbacks } from './sections/Callbacks';
import { Clock } from './sections/Clock';
import { Contacts } from './sections/Contacts';
import { Faults } from './sections/Faults';
import { Inbox } from './sections/Inbox';
import { Keys } from './sections/Keys';
import { MagicValues } from './sections/MagicValues';
import { Messages } from './sections/Messages';
import { OptOuts } from './sections/OptOuts';
import { Overview } from './sections/Overview';
import { Phone } from './sections/Phone';
import { SenderIds } from './sections/SenderIds';
import { Settings } from './sections/Settings';
import { TopUps } from './sections/TopUps';
import { ApiLog } from './sections/ApiLog';
import { Transactions } from './sections/Transactions';
import { StateChips } from '../StateChips';
import { useClock } from '../useClock';
import { sectionGroups, type SectionName } from './sections';

const views: Readonly<Record<SectionName, ComponentType<SectionProps>>> = {
	overview: Overview,
	messages: Messages,
	phone: Phone,
	inbox: Inbox,
	'opt-outs': OptOuts,
	'sender-ids': SenderIds,
	contacts: Contacts,
	transactions: Transactions,
	'top-ups': TopUps,
	keys: Keys,
	callbacks: Callbacks,
	'api-log': ApiLog,
	'magic-values': MagicValues,
	faults: Faults,
	clock: Clock,
	settings: Settings,
};

/** The dashboard: the frame, and the section that the URL names. */
export function App({ live }: { readonly live: Live }) {
	return (
		<LiveContext.Provider value={live}>
			<Dashboard />
			<Confirmation />
			<Toast />
		</LiveContext.Provider>
	);
}

function Dashboard() {
	const { clock, now } = useClock();
	return (
		<NowContext.Provider value={now}>
			<Frame
				brand="Messaging Service"
				tool="Sandbox"
				siteTitle="Messaging Service sandbox"
				groups={sectionGroups}
				views={views}
				status={<StateChips clock={clock} />}
			/>
		</NowContext.Provider>
	);
}
