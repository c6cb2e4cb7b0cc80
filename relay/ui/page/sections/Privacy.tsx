import { useState } from 'preact/hooks';
import { Card, Hint } from '../../../../ui/Card';
import { confirm } from '../../../../ui/Dialog';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { relay } from '../client';
import { useShared } from '../shared';
import { counted } from '../words';

/** How long data is kept, and how to erase the data of one person. */
export function Privacy() {
	const { status } = useShared();
	const [result, setResult] = useState('');

	async function erase({ number }: FormValues): Promise<void> {
		setResult('');
		const text = String(number);
		const agreed = await confirm({
			title: `Erase ${text}?`,
			text: 'All its events are deleted, and their pending deliveries end. Unknown sends lose the number, and stay unknown. You cannot undo this.',
			action: 'Erase',
		});
		if (!agreed) return;
		const { deleted, sends } = await relay.call('DELETE v1/events', { query: { number: text } });
		const counts = [
			...(deleted > 0 ? [counted(deleted, 'event')] : []),
			...(sends > 0 ? [counted(sends, 'recipient')] : []),
		];
		setResult(
			counts.length === 0
				? `No event or unknown send has the number ${text}. Enter it as the page shows it.`
				: `${counts.join(' and ')} of ${text} erased.`,
		);
	}
	return (
		<>
			<Card title="Retention">
				<Hint>
					{status && `Events are kept for ${counted(status.retention_days, 'day')}. `}To change it, set
					RELAY_RETENTION_DAYS and restart the relay.
				</Hint>
			</Card>
			<Card title="Erase a number">
				<Hint>
					Deletes all events from and to a number, and the number in unknown sends. Receivers keep their own copies.
				</Hint>
				<Form action="Erase" layout="line" submit={erase} keep>
					<Field
						name="number"
						label="Phone number"
						kind="tel"
						required
						maxLength={100}
						hint="With country code, such as +233201234567"
					/>
				</Form>
				<p class="done" role="status">
					{result}
				</p>
			</Card>
		</>
	);
}
