import { api } from './call.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { card, link } from './section.js';
import { showToast } from './toast.js';

/** Makes a form that sends one message through the API, as a program would. */
export function firstMessage() {
	const to = field({ name: 'to', label: 'To', kind: 'tel', value: '+233201234567', required: true });
	const sender = field({ name: 'sender_id', label: 'From (sender ID)', kind: 'select', required: true });
	const text = field({
		name: 'message',
		label: 'Message',
		kind: 'area',
		value: 'We are open 8 am to 6 pm.',
		required: true,
		wide: true,
	});
	const sent = make('p', { class: 'done', role: 'status' });
	const { element } = form({
		fields: [to, sender, text],
		action: 'Send',
		keep: true,
		submit: async (values) => {
			sent.replaceChildren();
			await api('POST', 'sms/send', values);
			sent.replaceChildren(
				'Sent. ',
				link('See it on the phone', `phone/${encodeURIComponent(values.to)}`),
				' or in the ',
				link('messages', 'messages'),
				'.',
			);
			showToast(`Sent to ${values.to}`);
		},
	});
	return {
		element: card('Send a message', element, sent),
		show: (names) => {
			const chosen = sender.input.value;
			const shown = [...sender.input.options].map(({ value }) => value);
			if (JSON.stringify(shown) === JSON.stringify(names)) return;
			sender.input.replaceChildren(...names.map((name) => make('option', { value: name }, name)));
			if (names.includes(chosen)) sender.input.value = chosen;
		},
	};
}
