import { useState } from 'preact/hooks';
import type { KeyRow, NewKeyRow } from '../../../control/keys';
import { ActionButton } from '../../../../ui/ActionButton';
import { Card, Hint } from '../../../../ui/Card';
import { CopyLine } from '../../../../ui/CopyLine';
import { confirm, Dialog } from '../../../../ui/Dialog';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { type Column, EmptyState, Table } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { showToast } from '../../../../ui/Toast';
import { control, currentKey, sendWithKey } from '../client';
import { StatusBadge } from '../StatusBadge';
import { useData } from '../../useData';

/** The API keys. */
export function Keys() {
	const { data, refresh } = useData(['keys'], async () => await control.call('GET keys'));
	/** The new key. Only this component's memory has it, until its dialog is closed. */
	const [secret, setSecret] = useState('');

	async function showOnce({ api_key }: NewKeyRow): Promise<void> {
		setSecret(api_key);
		await refresh();
		// The key works even if this fails.
		await keepSending(api_key).catch(() => undefined);
	}

	async function create(values: FormValues): Promise<void> {
		await showOnce(await control.call('POST keys', { body: values }));
	}

	async function rotate({ id, name }: KeyRow): Promise<void> {
		const agreed = await confirm({
			title: `Rotate ${name}?`,
			text: 'You get a new key. Requests with the old one then get a 401.',
			action: 'Rotate',
		});
		if (agreed) await showOnce(await control.call('POST keys/:id/rotate', { params: { id } }));
	}

	async function revoke({ id, name }: KeyRow): Promise<void> {
		const agreed = await confirm({
			title: `Revoke ${name}?`,
			text: 'Requests with this key then get a 401. You cannot undo this.',
			action: 'Revoke',
		});
		if (!agreed) return;
		await control.call('POST keys/:id/revoke', { params: { id } });
		showToast(`${name} was revoked`);
		await refresh();
	}

	function drawActions(key: KeyRow) {
		if (key.revoked_at !== null) {
			return (
				<span class="hint">
					since <Time at={key.revoked_at} />
				</span>
			);
		}
		return (
			<span class="buttons">
				<ActionButton act={async () => await rotate(key)} label={`Rotate ${key.name}`} look="small">
					Rotate
				</ActionButton>
				<ActionButton act={async () => await revoke(key)} label={`Revoke ${key.name}`} look="small danger">
					Revoke
				</ActionButton>
			</span>
		);
	}
	const columns: readonly Column<KeyRow>[] = [
		{ title: 'Name', lead: true, draw: ({ name }) => <strong>{name}</strong> },
		{ title: 'Ends in', draw: ({ hint }) => <span class="code">{hint}</span> },
		{ title: 'Status', draw: (key) => <StatusBadge status={inUse(key) ? 'in use' : 'revoked'} /> },
		{ title: 'Created', draw: ({ created_at }) => <Time at={created_at} /> },
		{ title: 'Actions', hideTitle: true, draw: drawActions },
	];
	return (
		<>
			<Card title="Create a key">
				<Hint>
					Create one key for each program, so you can revoke each on its own. Sandbox keys start with sk_sandbox_.
				</Hint>
				<Form action="Create a key" layout="line" submit={create}>
					<Field name="name" label="What is it for?" required hint="For example: n8n, Zapier, my shop" maxLength={60} />
				</Form>
			</Card>
			<Table
				caption="API keys"
				columns={columns}
				items={data?.toSorted((one, other) => Number(inUse(other)) - Number(inUse(one)))}
				keyOf={({ id }) => id}
				empty={<EmptyState title="No keys">Create one above. Programs need a key to send.</EmptyState>}
			/>
			{secret !== '' && <NewKey secret={secret} onClose={() => setSecret('')} />}
		</>
	);
}

function inUse({ revoked_at }: KeyRow): boolean {
	return revoked_at === null;
}

/** If this page's own key no longer works, the page sends with the new one. */
async function keepSending(secret: string): Promise<void> {
	const keys = await control.call('GET keys');
	const usable = keys.some((key) => inUse(key) && key.hint === `…${currentKey().slice(-4)}`);
	if (!usable) sendWithKey(secret);
}

function NewKey({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
	return (
		<Dialog title="Your new key" firm onClose={onClose}>
			<p>Copy it now. It is not shown again.</p>
			<CopyLine name="API key" id="new-key" value={secret} />
		</Dialog>
	);
}
