import { control } from './call.js';
import { confirm } from './dialog.js';
import { field, form } from './form.js';
import { formatMoney } from './format.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { actionButton } from './problem.js';
import { rows } from './rows.js';
import { card, hint } from './section.js';
import { settingsForm } from './settingsForm.js';

/** Features of the account, the rate limit, snapshots and the reset. */
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
			check('chatbot_set_up', 'Chatbot that replies to WhatsApp messages'),
		]);
		const limits = settingsForm([
			field({
				name: 'requests_per_second',
				label: 'Requests per second for each key',
				kind: 'number',
				hint: 'Above this rate, requests get a 429.',
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
		const saving = form({
			fields: [name],
			action: 'Save snapshot',
			layout: 'line',
			keep: true,
			submit: async (values) => {
				show(await control('PUT', `snapshots/${encodeURIComponent(values.name)}`));
				showToast(`Snapshot saved: ${values.name}`);
			},
		});
		const saved = make('ul', { class: 'fault-list' });
		const none = hint('No snapshots yet.');
		const showSaved = rows(saved, (one) => one, drawSnapshot);

		function drawSnapshot(one) {
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
							title: `Restore ${one}?`,
							text: 'You lose every change since this snapshot.',
							action: 'Restore',
						});
						if (!agreed) return;
						await control('POST', `snapshots/${encodeURIComponent(one)}/restore`);
						showToast(`Restored: ${one}`);
					},
				}),
			);
		}

		function show(names) {
			showSaved(names);
			none.hidden = names.length > 0;
		}

		const reset = actionButton({
			words: 'Reset sandbox',
			look: 'danger',
			act: async () => {
				const agreed = await confirm({
					title: 'Reset the sandbox?',
					text: 'Messages, money, contacts, settings and faults go back to those of a new sandbox. Only the first API key stays.',
					action: 'Reset',
				});
				if (!agreed) return;
				await control('POST', 'reset');
				showToast('Sandbox reset');
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
						'Account features',
						hint('If a feature is off, the service rejects requests for it as “not set up”.'),
						account.element,
					),
					card('Rate limit', limits.element),
				),
				make(
					'div',
					{},
					card(
						'Snapshots',
						hint('Save the state before an experiment and restore it later. Snapshots last until the sandbox stops.'),
						saving.element,
						none,
						saved,
					),
					card('Reset', hint(`Starts over with a new account and ${formatMoney(40)} in the wallet.`), reset),
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
