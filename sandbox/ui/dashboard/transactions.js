import { walletCurrency } from './access.js';
import { control, controlPage } from './call.js';
import { field, form } from './form.js';
import { formatAmount, formatCount, formatMoney, formatSigned, formatWord } from './format.js';
import { make, setText } from './make.js';
import { showToast } from './toast.js';
import { card, hint, link } from './section.js';
import { emptyState, table } from './table.js';
import { time } from './time.js';

const PAGE = 25;

/** The wallet's transactions, in pages. */
export const transactions = {
	title: 'Transactions',
	kinds: ['wallet'],
	open() {
		let offset = 0;
		const list = table({
			caption: 'Transactions, newest first',
			keyOf: ({ id }) => id,
			columns: [
				{ title: 'Description', lead: true, wide: true, draw: drawDescription },
				{ title: 'Type', draw: ({ type }) => formatWord(type) },
				{ title: `Amount (${walletCurrency})`, number: true, draw: drawAmount },
				{ title: `Balance (${walletCurrency})`, number: true, draw: ({ balance }) => formatAmount(balance) },
				{ title: 'Time', draw: ({ created_at }) => time(created_at) },
			],
			empty: emptyState('No transactions here', 'Every charge, refund and top-up appears here.'),
		});
		const range = make('span', { class: 'hint', role: 'status' });
		const newer = pageButton('Newer', -PAGE);
		const older = pageButton('Older', PAGE);
		const amount = field({
			name: 'amount',
			label: `Amount (${walletCurrency})`,
			kind: 'number',
			required: true,
			hint: 'A negative amount takes money out, such as -35 to test a low balance.',
		});
		const reason = field({ name: 'description', label: 'Reason', hint: 'Optional', attributes: { maxlength: 100 } });
		const adjusting = form({
			fields: [amount, reason],
			action: 'Adjust balance',
			submit: async (values) => {
				const { balance } = await control('POST', 'wallet/adjust', values);
				showToast(`Balance: ${formatMoney(balance)}`);
				await refresh();
			},
		});

		function pageButton(text, step) {
			const button = make('button', { type: 'button' }, text);
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
			setText(range, total === 0 ? '' : `${formatCount(asked + 1)} to ${formatCount(last)} of ${formatCount(total)}`);
		}
		return {
			element: make(
				'div',
				{},
				list.element,
				make('div', { class: 'buttons pager' }, newer, older, range),
				card('Adjust the balance', hint('Adds a transaction of type adjustment.'), adjusting.element),
			),
			refresh,
		};
	},
};

function drawDescription({ description, message_id, type, reference }) {
	const text = description ?? formatWord(type);
	if (message_id) return link(text, `messages/${encodeURIComponent(message_id)}`);
	return make('span', {}, text, reference && make('span', { class: 'sub code' }, reference));
}

function drawAmount({ amount }) {
	return make('span', { class: amount > 0 ? 'plus' : false }, formatSigned(amount));
}
