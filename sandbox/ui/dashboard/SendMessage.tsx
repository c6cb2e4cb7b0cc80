import { useState } from 'preact/hooks';
import { Card } from '../../../ui/Card';
import { Field, Form, type FormValues } from '../../../ui/Form';
import { toUrl } from '../../../ui/router';
import { showToast } from '../../../ui/Toast';
import { api, control } from './client';

/** A form that sends one message through the API, as a program would. */
export function SendMessage({ senderIds }: { readonly senderIds: readonly string[] }) {
	const [sentTo, setSentTo] = useState('');

	async function send(values: FormValues): Promise<void> {
		setSentTo('');
		const typed = String(values.to);
		const { number } = await control.call('GET numbers/:typed', { params: { typed } });
		// The API rejects any other number, with the reason.
		const to = number ?? typed;
		await api.call('POST sms/send', { body: { ...values, to } });
		setSentTo(to);
		showToast(`Sent to ${to}`);
	}
	return (
		<Card title="Send a message">
			<Form action="Send" keep submit={send}>
				<Field name="to" label="To" kind="tel" value="+233201234567" required />
				<Field
					name="sender_id"
					label="From (sender ID)"
					kind="select"
					options={senderIds.map((name) => ({ value: name, label: name }))}
					required
				/>
				<Field name="message" label="Message" kind="area" value="We are open 8 am to 6 pm." required wide />
			</Form>
			<p class="done" role="status">
				{sentTo && (
					<>
						Sent. <a href={toUrl('phone', sentTo)}>See it on the phone</a> or in the{' '}
						<a href={toUrl('messages')}>messages</a>.
					</>
				)}
			</p>
		</Card>
	);
}
