import { useState } from 'preact/hooks';
import type { Token } from '../../../http/schemas';
import { ActionButton } from '../../../../ui/ActionButton';
import { Ago } from '../../../../ui/Ago';
import { Card, Hint } from '../../../../ui/Card';
import { CopyLine } from '../../../../ui/CopyLine';
import { confirm, Dialog } from '../../../../ui/Dialog';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { relay } from '../client';
import { afterRevoke } from '../revocation';
import { useShared } from '../shared';
import { useData } from '../useData';

const kinds = [
	{ value: 'n8n', label: 'n8n' },
	{ value: 'zapier', label: 'Zapier (only URLs of Zapier)' },
	{ value: 'script', label: 'Script' },
	{ value: 'admin', label: 'Admin (this page, replay, erase)' },
];

/** The tokens of n8n, Zapier, programs and this page. */
export function Tokens() {
	const { token: own, status } = useShared();
	const { data, refresh } = useData(['tokens'], async () => (await relay.call('GET v1/tokens')).data);
	/** The new token. Only this component's memory has it, until its dialog is closed. */
	const [secret, setSecret] = useState('');

	async function create(values: FormValues): Promise<void> {
		const { token } = await relay.call('POST v1/tokens', { body: values });
		setSecret(token);
		await refresh();
	}

	async function revoke(token: Token): Promise<void> {
		const { id, name } = token;
		const { data: subscriptions } = await relay.call('GET v1/subscriptions');
		const agreed = await confirm({
			title: `Revoke ${name}?`,
			points: afterRevoke(token, subscriptions, id === own.id),
			text: 'You cannot undo this.',
			action: 'Revoke',
		});
		if (!agreed) return;
		await relay.call('DELETE v1/tokens/:id', { params: { id } });
		showToast(`${name} was revoked`);
		await refresh();
	}
	const columns: readonly Column<Token>[] = [
		{
			title: 'Name',
			lead: true,
			draw: ({ id, name }) => (
				<span>
					<strong>{name}</strong>
					{id === own.id && <span class="sub">This page uses it</span>}
				</span>
			),
		},
		{ title: 'Kind', draw: ({ kind }) => kind },
		{ title: 'Last used', draw: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : 'Never') },
		{ title: 'Created', draw: ({ created_at }) => <Time at={created_at} short /> },
		{
			title: 'Actions',
			hideTitle: true,
			draw: (token) => (
				<ActionButton act={async () => await revoke(token)} label={`Revoke ${token.name}`} look="small danger">
					Revoke
				</ActionButton>
			),
		},
	];
	return (
		<>
			<Card title="Create a token">
				<Hint>Create one token for each n8n, Zapier connection or program, so you can revoke each on its own.</Hint>
				<Form action="Create a token" submit={create}>
					<Field name="name" label="Name" required hint="For example: n8n of the shop" maxLength={100} />
					<Field name="kind" label="Kind" kind="select" options={kinds} />
				</Form>
			</Card>
			<Table
				caption="Tokens"
				columns={columns}
				items={data}
				keyOf={({ id }) => id}
				empty={<EmptyState title="No tokens">Create one above.</EmptyState>}
			/>
			{secret !== '' && (
				<Dialog title="Your new token" firm onClose={() => setSecret('')}>
					<p>Copy it now. It is not shown again.</p>
					<CopyLine name="Token" id="new-token" value={secret} />
					{status && <CopyLine name="Relay URL" value={status.public_url} />}
					<Hint>Enter both in n8n, Zapier or your program.</Hint>
				</Dialog>
			)}
		</>
	);
}
