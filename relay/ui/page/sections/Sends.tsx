import type { Send } from '../../../sends/schema';
import { ActionButton } from '../../../../ui/ActionButton';
import { Ago } from '../../../../ui/Ago';
import { Card, Hint } from '../../../../ui/Card';
import { confirm } from '../../../../ui/Dialog';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { toUrl } from '../../../../ui/router';
import { showToast } from '../../../../ui/Toast';
import { relay } from '../client';
import { useData } from '../useData';

/** Most sends in one response. After some are settled, the next ones appear. */
const MOST = 100;

/** The endpoints that send, in the words of the page. */
const ENDPOINTS: Readonly<Record<string, string>> = {
	'sms.send': 'SMS',
	'sms.sendBulk': 'Bulk SMS',
	'whatsapp.send': 'WhatsApp message',
	'email.send': 'Email',
	'voice.send': 'Call',
	'verification.start': 'One-time code',
};

/** The sends whose outcome is unknown. A person looks in the dashboard of the service, and settles them here. */
export function Sends() {
	const { data, refresh } = useData(['sends'], async () => {
		const query = { state: 'unknown', limit: MOST };
		return (await relay.call('GET v1/sends', { query })).data;
	});

	async function settle({ id }: Send, outcome: 'arrived' | 'send_again'): Promise<void> {
		if (outcome === 'send_again') {
			const agreed = await confirm({
				title: 'Let it be sent again?',
				text: 'The next call with its key sends the message. If the first one arrived after all, the recipient gets it twice.',
				action: 'Allow',
			});
			if (!agreed) return;
		}
		await relay.call('POST v1/sends/:id/settle', { params: { id }, body: { outcome } });
		showToast(outcome === 'arrived' ? 'Settled. It is not sent again.' : 'Settled. Its key is free.');
		await refresh();
	}

	const columns: readonly Column<Send>[] = [
		{
			title: 'Recipient',
			lead: true,
			draw: ({ to, to_end, erased, id }) => (
				<span>
					<strong class="text">{to ?? to_end ?? (erased ? 'Erased number' : 'No recipient')}</strong>
					<span class="sub">{id}</span>
				</span>
			),
		},
		{
			title: 'Kind',
			draw: ({ endpoint, mode }) => `${ENDPOINTS[endpoint] ?? endpoint}${mode === 'sandbox' ? ' (sandbox)' : ''}`,
		},
		{ title: 'Time', draw: ({ created_at }) => <Ago at={created_at} /> },
		{ title: 'Evidence', draw: (send) => <Receipts send={send} /> },
		{
			title: 'Actions',
			hideTitle: true,
			draw: (send) => (
				<span class="badges">
					<ActionButton
						act={async () => await settle(send, 'arrived')}
						label={`It arrived: ${nameOf(send)}`}
						look="small"
					>
						It arrived
					</ActionButton>
					<ActionButton
						act={async () => await settle(send, 'send_again')}
						label={`Send again: ${nameOf(send)}`}
						look="small danger"
					>
						Send again
					</ActionButton>
				</span>
			),
		},
	];
	return (
		<>
			<Card title="Sends with an unknown outcome">
				<Hint>
					The response of the service was lost, so each of these messages may have been sent and charged. Look for it in
					the message history of the service’s dashboard, then settle it here. The relay never sends it again by itself.
					A receipt of the same number may belong to another message, so compare its time.
				</Hint>
			</Card>
			<Table
				caption="Sends with an unknown outcome, newest first"
				columns={columns}
				items={data}
				keyOf={({ id }) => id}
				empty={<EmptyState title="Nothing to settle">The outcome of every send is known.</EmptyState>}
			/>
		</>
	);
}

/** Leads to the receipts of the recipient. A receipt has no idempotency key, so only a person can compare them. */
function Receipts({ send: { to } }: { readonly send: Send }) {
	// Several recipients are one text with commas.
	if (to === null || to.includes(',')) return <>–</>;
	const url = toUrl('events', undefined, { search: to, type: 'message.status' });
	return (
		<a href={url} aria-label={`Receipts of ${to}`}>
			Receipts
		</a>
	);
}

function nameOf({ to, to_end, id }: Send): string {
	return to ?? to_end ?? id;
}
