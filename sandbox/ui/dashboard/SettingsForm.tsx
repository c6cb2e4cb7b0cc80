import type { ComponentChildren } from 'preact';
import { Form } from '../../../ui/Form';
import { showToast } from '../../../ui/Toast';
import { control } from './client';

/**
 * A form for some of the sandbox's settings. Unsaved input is never overwritten by changes from elsewhere.
 * @param props.onSaved reads the settings again
 */
export function SettingsForm({
	onSaved,
	children,
}: {
	readonly onSaved: () => Promise<void>;
	readonly children: ComponentChildren;
}) {
	async function save(values: object): Promise<void> {
		await control.call('PUT settings', { body: values });
		showToast('Saved');
		await onSaved();
	}
	return (
		<Form action="Save" keep onlyChanges submit={save}>
			{children}
		</Form>
	);
}
