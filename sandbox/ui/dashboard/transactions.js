import { control, controlPage } from './call.js';
import { field, form } from './form.js';
import { formatAmount, formatCount, formatSigned, formatWord } from './format.js';
import { make, setText } from './make.js';
import { tellNews } from './news.js';
import { card, hint, link } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const PAGE = 25;

/** Everything that moved the balance, page by page. */
export const transactions = {
	title: 'Transactions',
	kinds: ['wallet'],
	open() {
		let offset = 0;
		const list = table({
			caption: 'Transactions, newest first',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'What', lead: true, wide: true, draw: drawWhat },
				{ title: 'Kind', draw: ({ type }) => formatWord(type) },
				{ title: 'Amount', number: true, draw: drawAmount },
				{ title: 'Balance', number: true, draw: ({ balance }) => formatAmount(balance) },
				{ title: 'Time', draw: ({ created_at }) => time(created_at) },
			],
			empty: emptyState('No transactions here', 'Every charge, refund and top-up appears here.'),
		});
		const where = make('span', { class: 'hint', role: 'status' });
		const newer = pageButton('Newer', -PAGE);
		const older = pageButton('Older', PAGE);
		const amount = field({
			name: 'amount',
			label: 'Amount',
			kind: 'number',
			required: true,
			hint: 'Below zero takes money out, e.g. −35 to try out a low balance',
		});
		const reason = field({ name: 'description', label: 'Reason', hint: 'Optional', attributes: { maxlength: 100 } });
		const adjusting = form({
			fields: [amount, reason],
			action: 'Change the balance',
			submit: async (values) => {
				const { balance, currency } = await control('POST', 'wallet/adjust', values);
				tellNews(`The balance is ${currency} ${formatAmount(balance)}`);
				await refresh();
			},
		});

		function pageButton(words, step) {
			const button = make('button', { type: 'button' }, words);
			button.addEventListener('click', () => {
				if (button.getAttribute('aria-disabled') === 'true') return;
				offset = Math.max(0, offset + step);
				void refresh();
			});
			return button;
		}

		async function refresh() {
			const asked = offset;
			const { items, total } = await controlPage(`transactions?limit=${PAGE}&offset=${asked}`);
			if (asked !== offset) return;
			list.show(items);
			const last = asked + items.length;
			newer.setAttribute('aria-disabled', String(asked === 0));
			older.setAttribute('aria-disabled', String(last >= total));
			setText(where, total === 0 ? '' : `${formatCount(asked + 1)} to ${formatCount(last)} of ${formatCount(total)}`);
		}
		return {
			element: make(
				'div',
				{},
				list.element,
				make('div', { class: 'buttons pager' }, newer, older, where),
				card('Change the balance by hand', hint('It is kept as an adjustment.'), adjusting.element),
			),
			refresh,
		};
	},
};

function drawWhat({ description, message_id, type, reference }) {
	const words = description ?? formatWord(type);
	if (message_id) return link(words, `messages/${encodeURIComponent(message_id)}`);
	return make('span', {}, words, reference && make('span', { class: 'sub code' }, reference));
}

function drawAmount({ amount }) {
	return make('span', { class: amount > 0 ? 'plus' : false }, formatSigned(amount));
}
