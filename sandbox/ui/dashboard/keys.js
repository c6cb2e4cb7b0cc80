import { access, sendWithKey } from './access.js';
import { badge } from './badge.js';
import { control } from './call.js';
import { copyButton } from './copyButton.js';
import { confirm, openDialog } from './dialog.js';
import { field, form } from './form.js';
import { make } from './make.js';
import { showToast } from './toast.js';
import { actionButton } from './problem.js';
import { card, hint } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

/** The API keys. */
export const keys = {
	title: 'Keys',
	kinds: ['keys'],
	open() {
		const name = field({
			name: 'name',
			label: 'What is it for?',
			required: true,
			hint: 'For example: n8n, Zapier, my shop',
			attributes: { maxlength: 60 },
		});
		const creating = form({
			fields: [name],
			action: 'Create a key',
			layout: 'line',
			submit: async (values) => {
				const made = await control('POST', 'keys', values);
				showOnce(made);
				await refresh();
			},
		});
		const list = table({
			caption: 'API keys',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'Name', lead: true, draw: (key) => make('strong', {}, key.name) },
				{ title: 'Ends in', draw: ({ hint: end }) => make('span', { class: 'code' }, end) },
				{
					title: 'Status',
					draw: ({ revoked_at }) => (revoked_at === null ? badge('in use') : badge('revoked')),
				},
				{ title: 'Created', draw: ({ created_at }) => time(created_at) },
				{ title: 'Actions', hideTitle: true, draw: drawActions },
			],
			empty: emptyState('No keys', 'Create one above. Programs need a key to send.'),
		});

		function drawActions(key) {
			if (key.revoked_at !== null) return make('span', { class: 'hint' }, 'since ', time(key.revoked_at));
			return make(
				'span',
				{ class: 'buttons' },
				actionButton({
					words: 'Rotate',
					label: `Rotate ${key.name}`,
					look: 'small',
					act: async () => {
						const agreed = await confirm({
							title: `Rotate ${key.name}?`,
							text: 'You get a new key. Requests with the old one then get a 401.',
							action: 'Rotate',
						});
						if (!agreed) return;
						showOnce(await control('POST', `keys/${key.id}/rotate`));
						await refresh();
					},
				}),
				actionButton({
					words: 'Revoke',
					label: `Revoke ${key.name}`,
					look: 'small danger',
					act: async () => {
						const agreed = await confirm({
							title: `Revoke ${key.name}?`,
							text: 'Requests with this key then get a 401. You cannot undo this.',
							action: 'Revoke',
						});
						if (!agreed) return;
						await control('POST', `keys/${key.id}/revoke`);
						showToast(`${key.name} was revoked`);
						await refresh();
					},
				}),
			);
		}

		async function refresh() {
			const all = await control('GET', 'keys');
			list.show(all.toSorted((one, other) => Number(one.revoked_at !== null) - Number(other.revoked_at !== null)));
		}

		/** If this page's own key no longer works, the page sends with the new one. */
		async function keepSending(secret) {
			const all = await control('GET', 'keys');
			const usable = all.some((key) => key.revoked_at === null && key.hint === `…${access.apiKey.slice(-4)}`);
			if (!usable) sendWithKey(secret);
		}

		function showOnce({ api_key }) {
			keepSending(api_key).catch(() => {});
			const code = make('code', { class: 'secret', tabindex: '0' }, api_key);
			openDialog({
				title: 'Your new key',
				firm: true,
				content: [
					make('p', {}, 'Copy it now. It is not shown again.'),
					make(
						'div',
						{ class: 'copy-line' },
						code,
						copyButton(() => api_key, 'the key'),
					),
				],
			});
		}
		return {
			element: make(
				'div',
				{},
				card(
					'Create a key',
					hint(
						'Create one key for each program, so you can revoke each on its own. Sandbox keys start with sk_sandbox_.',
					),
					creating.element,
				),
				list.element,
			),
			refresh,
		};
	},
};
