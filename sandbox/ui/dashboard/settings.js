import { control } from './call.js';
import { confirm } from './dialog.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { tellNews } from './news.js';
import { actionButton } from './problem.js';
import { rows } from './rows.js';
import { card, hint } from './section.js';
import { settingsForm } from './settingsForm.js';

/** What the account has, keeping and restoring the state, and starting anew. */
export const settings = {
	title: 'Settings',
	kinds: ['settings'],
	open() {
		const check = (name, label) => field({ name, label, kind: 'check' });
		const account = settingsForm([
			check('lookup_set_up', 'Phone lookup'),
			check('whatsapp_set_up', 'WhatsApp'),
			check('email_set_up', 'Email'),
			check('voice_set_up', 'Voice calls'),
			check('chatbot_set_up', 'Chatbot that answers WhatsApp messages'),
		]);
		const limits = settingsForm([
			field({
				name: 'requests_per_second',
				label: 'Calls a second for each key',
				kind: 'number',
				hint: 'More are answered with 429',
				required: true,
				attributes: { min: 0 },
			}),
		]);
		const name = field({
			name: 'name',
			label: 'Name',
			required: true,
			value: 'before',
			attributes: { maxlength: 40 },
		});
		const keeping = form({
			fields: [name],
			action: 'Keep the state',
			layout: 'line',
			keep: true,
			submit: async (values) => {
				show(await control('PUT', `snapshots/${encodeURIComponent(values.name)}`));
				tellNews(`Kept as ${values.name}`);
			},
		});
		const kept = make('ul', { class: 'fault-list' });
		const none = hint('Nothing is kept yet.');
		const showKept = rows(kept, (one) => one, drawKept);

		function drawKept(one) {
			return make(
				'li',
				{ class: 'spread' },
				make('strong', {}, one),
				actionButton({
					words: 'Restore',
					label: `Restore ${one}`,
					look: 'small',
					act: async () => {
						const agreed = await confirm({
							title: `Go back to ${one}?`,
							text: 'Everything that happened since is forgotten.',
							action: 'Restore',
						});
						if (!agreed) return;
						await control('POST', `snapshots/${encodeURIComponent(one)}/restore`);
						tellNews(`Back at ${one}`);
					},
				}),
			);
		}

		function show(names) {
			showKept(names);
			none.hidden = names.length > 0;
		}

		const reset = actionButton({
			words: 'Reset everything',
			look: 'danger',
			act: async () => {
				const agreed = await confirm({
					title: 'Reset the sandbox?',
					text: 'Messages, money, contacts, keys but the first, settings and faults: all go back to how a new sandbox starts.',
					action: 'Reset',
				});
				if (!agreed) return;
				await control('POST', 'reset');
				tellNews('The sandbox is as new');
			},
		});
		return {
			element: make(
				'div',
				{ class: 'columns even' },
				make(
					'div',
					{},
					card(
						'What the account has',
						hint('Without one of these, a call for it is refused as “not set up”.'),
						account.element,
					),
					card('Rate limit', limits.element),
				),
				make(
					'div',
					{},
					card(
						'Keep and restore',
						hint('Keep the state before an experiment and go back to it after. Kept until the sandbox stops.'),
						keeping.element,
						none,
						kept,
					),
					card('Start anew', hint('Back to a new account with 40.00 in the wallet.'), reset),
				),
			),
			refresh: async () => {
				const [values, names] = await Promise.all([control('GET', 'settings'), control('GET', 'snapshots')]);
				account.show(values);
				limits.show(values);
				show(names);
			},
		};
	},
};
