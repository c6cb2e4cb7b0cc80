import type { CallbackRow } from '../../../control/callbacks';
import { Card } from '../../../../ui/Card';
import { FilterBar } from '../../../../ui/FilterBar';
import { FilteredList, useFilteredList } from '../../../../ui/FilteredList';
import { filtersOf } from '../../../../ui/filters';
import { Field } from '../../../../ui/Form';
import { toUrl } from '../../../../ui/router';
import { type Column, EmptyState } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { access } from '../access';
import type { SectionProps } from '../../../../ui/Frame';
import { shortUrl } from '../../../../ui/shortUrl';
import { CallbackPanel, CallbackStatus, describe, ReplayButton } from '../CallbackPanel';
import { control } from '../client';
import { SettingsForm } from '../SettingsForm';
import { useData } from '../../useData';

const events = [
	{ value: 'message.status', label: 'Receipts' },
	{ value: 'sms.inbound', label: 'Inbound SMS' },
	{ value: 'whatsapp.inbound', label: 'Inbound WhatsApp' },
	{ value: 'wallet.low_balance', label: 'Low balance' },
];
const statuses = [
	{ value: 'delivered', label: 'Accepted' },
	{ value: 'waiting', label: 'Waiting' },
	{ value: 'given_up', label: 'Gave up' },
];
const selects = [
	{ name: 'event', label: 'Event', options: events },
	{ name: 'status', label: 'Status', options: statuses },
] as const;

const formats = [
	{ value: 'json', label: 'JSON' },
	{ value: 'form', label: 'Form fields' },
];
const layouts = [
	{ value: 'flat', label: 'flat' },
	{ value: 'data', label: 'under “data”' },
	{ value: 'message', label: 'under “message”' },
	{ value: 'pascal', label: 'in PascalCase' },
	{ value: 'whole_message', label: 'the whole message' },
];

/** The URLs for receipts, alerts and inbound messages, and every attempt to deliver them. */
export function Callbacks({ place }: SectionProps) {
	const filters = filtersOf('callbacks', place, ['event', 'status']);
	const list = useFilteredList(['callbacks'], filters, async (query) => await control.page('GET callbacks', { query }));
	const columns: readonly Column<CallbackRow>[] = [
		{ title: 'Event', lead: true, wide: true, draw: (row) => <Event callback={row} href={filters.urlOf(row.id)} /> },
		{ title: 'URL', draw: ({ url }) => <span class="code breakable">{shortUrl(url)}</span> },
		{ title: 'Response', draw: (row) => <CallbackStatus callback={row} /> },
		{ title: 'Attempts', number: true, draw: ({ attempt_count }) => attempt_count },
		{ title: 'Time', draw: ({ created_at }) => <Time at={created_at} /> },
		{ title: 'Actions', hideTitle: true, draw: ({ id }) => <ReplayButton id={id} onReplay={list.refresh} /> },
	];
	return (
		<>
			<Urls />
			<h2 class="list-title">Deliveries</h2>
			<FilterBar filters={filters} searchHint="Part of the text, number or URL, or a message ID" selects={selects} />
			<FilteredList
				caption="Receipts, alerts and inbound messages, newest first"
				columns={columns}
				keyOf={({ id }) => id}
				list={list}
				filters={filters}
				what="deliveries"
				empty={<NothingSent />}
			/>
			{place.id && <CallbackPanel key={place.id} id={place.id} onClose={filters.close} />}
		</>
	);
}

function Urls() {
	const { data: settings, refresh } = useData(['settings'], async () => await control.call('GET settings'));
	// The control route returns the service's own webhook if no URL is set.
	const ownUrl = settings?.inbound_url === `${location.origin}/webhooks/inbound/sms`;
	return (
		<div class="columns even">
			<Card title="Receipts and alerts">
				<SettingsForm onSaved={refresh}>
					<Field
						name="callback_url"
						label="Callback URL"
						kind="longUrl"
						wide
						empty={null}
						placeholder="http://"
						hint="Gets delivery receipts and low-balance alerts. Empty: none are sent."
						value={settings?.callback_url}
					/>
					<Field
						name="low_balance_threshold"
						label={`Low-balance threshold (${access.currency})`}
						kind="number"
						hint="Sends an alert when the balance drops below this amount. Empty: never."
						empty={null}
						min={0}
						value={settings?.low_balance_threshold}
					/>
					<Field
						name="callback_shape"
						label="Field layout"
						kind="select"
						options={layouts}
						value={settings?.callback_shape}
					/>
					<Field
						name="callback_format"
						label="Format"
						kind="select"
						options={formats}
						value={settings?.callback_format}
					/>
					<Field
						name="callback_delay"
						label="Delay before sending (ms)"
						kind="number"
						min={0}
						step={1}
						value={settings?.callback_delay}
					/>
					<Field
						name="callback_copies"
						label="Copies of each"
						kind="number"
						hint="1 to 10"
						min={1}
						max={10}
						step={1}
						value={settings?.callback_copies}
					/>
					<Field
						name="callback_reordered"
						label="Out of order: “sent” arrives after “delivered”"
						kind="check"
						value={settings?.callback_reordered}
					/>
				</SettingsForm>
			</Card>
			<Card title="Inbound messages">
				<SettingsForm onSaved={refresh}>
					<Field
						name="inbound_url"
						label="Inbound URL"
						kind="longUrl"
						wide
						empty={null}
						placeholder="http://"
						hint="Gets SMS from the phones. Enter the URL of your n8n or Zapier trigger. Empty: the service’s own inbox."
						value={ownUrl ? null : settings?.inbound_url}
					/>
					<Field
						name="inbound_format"
						label="Format"
						kind="select"
						options={formats}
						value={settings?.inbound_format}
					/>
					<Field
						name="inbound_status"
						label="Include an ID and a status"
						kind="check"
						value={settings?.inbound_status}
					/>
					<Field
						name="inbound_urls"
						label="More inbound URLs"
						kind="lines"
						hint="One URL per line. SMS go to these as well."
						wide
						value={settings?.inbound_urls}
					/>
					<Field
						name="inbound_to_service"
						label="Also deliver to the service itself"
						kind="check"
						hint="SMS then reach the inbox, and STOP opts out, whatever the inbound URL does."
						value={settings?.inbound_to_service}
					/>
					<Field
						name="whatsapp_inbound_url"
						label="WhatsApp inbound URL"
						kind="longUrl"
						wide
						empty={null}
						placeholder="http://"
						hint="Gets WhatsApp messages from the phones. Empty: the service’s own webhook, where the chatbot replies."
						value={settings?.whatsapp_inbound_url}
					/>
					<Field
						name="allow_outside_urls"
						label="Allow requests to other machines"
						kind="check"
						hint="If off, nothing leaves this computer."
						value={settings?.allow_outside_urls}
					/>
				</SettingsForm>
			</Card>
		</div>
	);
}

function NothingSent() {
	return (
		<EmptyState title="Nothing has been sent yet">
			Set a callback URL above, then send a message from the <a href={toUrl('overview')}>overview</a>. Its receipts
			appear here. Messages from the phones to your inbound URLs appear here, too.
		</EmptyState>
	);
}

function Event({ callback, href }: { readonly callback: CallbackRow; readonly href: string }) {
	const { fact, event } = callback;
	const parties: Readonly<Record<string, unknown>> = {
		'message.status': fact.to,
		'sms.inbound': fact.from,
		'whatsapp.inbound': fact.from,
	};
	const party = parties[event];
	return (
		<span>
			<a href={href} class="text" dir="auto">
				{describe(callback)}
			</a>
			{typeof party === 'string' && party !== '' && <span class="sub">{party}</span>}
		</span>
	);
}
