const element = (id) => document.getElementById(id);
const main = document.querySelector('main');
const form = element('choice');
const status = element('status');
const path = location.pathname.replace(/\/$/, '');

const outcomes = {
	completed: 'Paid: the credit is in your wallet.',
	failed: 'The payment was declined, and nothing was paid. Create a new top-up to try again.',
	expired: 'This checkout has expired. Create a new top-up.',
	pending: 'The payment is in progress. Mobile money takes a few seconds. Reload this page to see the result.',
	cancelled: 'You left without paying. You can still pay on this page.',
};
const hints = {
	card: 'You need no card number. The payment completes immediately.',
	mobile_money: 'The credit arrives a few seconds after you pay, as if you had confirmed on your phone.',
};

function showStatus(state, text) {
	status.dataset.state = state;
	status.textContent = text;
}

async function request(url, options) {
	const response = await fetch(url, options);
	const body = await response.json();
	if (!response.ok) throw new Error(body.message);
	return body;
}

function showHint() {
	element('hint').textContent = hints[new FormData(form).get('method')];
}

function show(topUp) {
	const money = (amount) => `${topUp.currency} ${amount.toFixed(2)}`;
	element('amount').textContent = money(topUp.amount);
	element('fee').textContent = money(topUp.fee);
	element('total').textContent = money(topUp.total);
	element('pay').textContent = `Pay ${money(topUp.total)}`;
	element('reference').textContent = `Reference ${topUp.reference}`;
	if (topUp.returns_to) element('reference').textContent += ` · returns to ${topUp.returns_to}`;
	element('amounts').hidden = false;
	const open = topUp.status === 'pending' && topUp.method === null;
	form.hidden = !open;
	if (!open) showStatus(topUp.status, outcomes[topUp.status]);
}

async function choose(action) {
	const buttons = form.querySelectorAll('button');
	for (const button of buttons) button.disabled = true;
	try {
		const method = new FormData(form).get('method');
		const result = await request(`${path}/choice`, { method: 'POST', body: JSON.stringify({ action, method }) });
		if (result.redirect) {
			showStatus(result.status, 'Returning…');
			location.assign(result.redirect);
			return;
		}
		show(await request(`${path}/state`));
		showStatus(result.status, outcomes[result.status]);
	} catch (error) {
		showStatus('failed', error.message);
	} finally {
		for (const button of buttons) button.disabled = false;
	}
}

form.addEventListener('change', showHint);
form.addEventListener('submit', (event) => {
	event.preventDefault();
	void choose(event.submitter?.value ?? 'pay');
});

try {
	showHint();
	show(await request(`${path}/state`));
} catch (error) {
	showStatus('failed', error.message);
} finally {
	main.removeAttribute('aria-busy');
}
