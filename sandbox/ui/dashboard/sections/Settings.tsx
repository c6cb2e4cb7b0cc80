import { ActionButton } from '../../../../ui/ActionButton';
import { Card, Hint } from '../../../../ui/Card';
import { confirm } from '../../../../ui/Dialog';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { showToast } from '../../../../ui/Toast';
import { formatMoney } from '../access';
import { control } from '../client';
import { SettingsForm } from '../SettingsForm';
import { useData } from '../../useData';

const hints: Readonly<Record<string, string>> = { chatbot_set_up: 'Replies to WhatsApp messages.' };

/** Features of the account, the rate limit, snapshots and the reset. */
export function Settings() {
	return (
		<div class="columns even">
			<Account />
			<div>
				<Snapshots />
				<Card title="Reset">
					<Hint>Starts over with a new account and {formatMoney(40)} in the wallet.</Hint>
					<ActionButton act={reset} look="danger">
						Reset sandbox
					</ActionButton>
				</Card>
			</div>
		</div>
	);
}

function Account() {
	const { data: settings, refresh } = useData(['settings'], async () => await control.call('GET settings'));
	const { data: features = [] } = useData([], async () => await control.call('GET settings/features'));
	return (
		<div>
			<Card title="Account features">
				<Hint>If a feature is off, the service rejects requests for it as “not set up”.</Hint>
				<SettingsForm onSaved={refresh}>
					{features.map(({ setting, name }) => (
						<Field
							key={setting}
							name={setting}
							label={name}
							kind="check"
							hint={hints[setting]}
							value={settings?.[setting]}
						/>
					))}
				</SettingsForm>
			</Card>
			<Card title="Rate limit">
				<SettingsForm onSaved={refresh}>
					<Field
						name="requests_per_second"
						label="Requests per second for each key"
						kind="number"
						hint="Above this rate, requests get a 429."
						required
						min={0}
						value={settings?.requests_per_second}
					/>
				</SettingsForm>
			</Card>
		</div>
	);
}

function Snapshots() {
	const { data: names, refresh } = useData(['settings'], async () => await control.call('GET snapshots'));

	async function save(values: FormValues): Promise<void> {
		const name = String(values.name);
		await control.call('PUT snapshots/:name', { params: { name } });
		await refresh();
		showToast(`Snapshot saved: ${name}`);
	}
	return (
		<Card title="Snapshots">
			<Hint>Save the state before an experiment and restore it later. Snapshots last until the sandbox stops.</Hint>
			<Form action="Save snapshot" layout="line" keep submit={save}>
				<Field name="name" label="Name" required value="before" maxLength={40} />
			</Form>
			{names?.length === 0 && <Hint>No snapshots yet.</Hint>}
			<ul class="plain-list divided">
				{names?.map((name) => (
					<li class="spread" key={name}>
						<strong>{name}</strong>
						<ActionButton act={async () => await restore(name)} label={`Restore ${name}`} look="small">
							Restore
						</ActionButton>
					</li>
				))}
			</ul>
		</Card>
	);
}

async function restore(name: string): Promise<void> {
	const agreed = await confirm({
		title: `Restore ${name}?`,
		text: 'You lose every change since this snapshot.',
		action: 'Restore',
	});
	if (!agreed) return;
	await control.call('POST snapshots/:name/restore', { params: { name } });
	showToast(`Restored: ${name}`);
}

async function reset(): Promise<void> {
	const agreed = await confirm({
		title: 'Reset the sandbox?',
		text: 'Messages, money, contacts, settings and faults go back to those of a new sandbox. Only the first API key stays.',
		action: 'Reset',
	});
	if (!agreed) return;
	await control.call('POST reset');
	showToast('Sandbox reset');
}
