import type { ComponentType } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { Status } from '../../http/schemas';
import { ActionButton } from '../../../ui/ActionButton';
import { type Chip, Chips } from '../../../ui/Chips';
import { Frame, type SectionProps } from '../../../ui/Frame';
import { toUrl } from '../../../ui/router';
import { type OwnToken, relay } from './client';
import { useCondition } from './condition';
import { Events } from './sections/Events';
import { Overview } from './sections/Overview';
import { Privacy } from './sections/Privacy';
import { Sends } from './sections/Sends';
import { Subscriptions } from './sections/Subscriptions';
import { Tokens } from './sections/Tokens';
import { sectionGroups, type SectionName } from './sections';
import { SharedContext } from './shared';
import { useData } from './useData';

const views: Readonly<Record<SectionName, ComponentType<SectionProps>>> = {
	overview: Overview,
	events: Events,
	subscriptions: Subscriptions,
	sends: Sends,
	tokens: Tokens,
	privacy: Privacy,
};

/** Properties of {@link Shell}. */
export interface ShellProps {
	readonly token: OwnToken;
	readonly logOut: () => Promise<void>;
	/** Whether the login, which had the focus, has just disappeared. */
	readonly takesFocus: boolean;
}

/** The page after the login: the frame, and the section that the URL names. */
export function Shell({ token, logOut, takesFocus }: ShellProps) {
	const { data: status } = useData(
		['events', 'deliveries', 'subscriptions', 'tokens', 'sends'],
		// A proxy may hide the host, the scheme and the path of this page from the relay.
		async () => await relay.call('GET v1/status', { query: { address: new URL('.', location.href).href } }),
	);
	const shared = useMemo(() => ({ status, token, logOut }), [status, token, logOut]);
	useLayoutEffect(() => {
		if (takesFocus) document.getElementById('title')?.focus();
	}, [takesFocus]);
	return (
		<SharedContext.Provider value={shared}>
			<Frame
				brand="Messaging Service"
				tool="Relay"
				siteTitle="Messaging Service relay"
				groups={sectionGroups}
				views={views}
				status={<Chips chips={status ? alarms(status) : []} />}
				notice={<DatabaseAway />}
				footer={
					<div class="account">
						<p class="hint">Logged in with “{token.name}”</p>
						<ActionButton act={logOut} look="small">
							Log out
						</ActionButton>
					</div>
				}
			/>
		</SharedContext.Provider>
	);
}

function alarms({ forwards, subscriptions, unknown_sends: unknown }: Status): Chip[] {
	const chips: Chip[] = [];
	const troubles = new Set(forwards.map(({ trouble }) => trouble));
	if (troubles.has('failing') || troubles.has('failed'))
		chips.push({ text: 'Forwarding fails', href: toUrl('overview') });
	else if (troubles.has('paused')) chips.push({ text: 'Forwarding is paused', href: toUrl('overview') });
	else if (troubles.has('late')) chips.push({ text: 'Forwarding is late', href: toUrl('overview') });
	const { disabled } = subscriptions;
	if (disabled > 0) {
		chips.push({
			text: disabled === 1 ? '1 subscription disabled' : `${disabled} subscriptions disabled`,
			href: toUrl('subscriptions'),
		});
	}
	if (unknown > 0) {
		chips.push({ text: unknown === 1 ? '1 unknown send' : `${unknown} unknown sends`, href: toUrl('sends') });
	}
	return chips;
}

function DatabaseAway() {
	const condition = useCondition();
	return (
		<div role="alert">
			{condition === 'away' && (
				<p class="alarm">
					<strong>The database is away.</strong> Senders get a 503 response and try again. This page continues when the
					database is back.
				</p>
			)}
		</div>
	);
}
