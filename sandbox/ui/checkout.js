const element = (id) => document.getElementById(id);
const main = document.querySelector('main');
const form = element('choice');
const status = element('status');
const path = location.pathname.replace(/\/$/, '');

const words = {
	completed: 'Paid: the credit is in your wallet.',
	failed: 'The payment was declined. Nothing was paid; start another top-up to try again.',
	expired: 'This checkout has expired. Start another top-up.',
	pending: 'Confirm the payment on your phone: the credit arrives within seconds.',
	cancelled: 'You left without paying. This page can be opened again.',
};
const hints = {
	card: 'No card is asked for: the payment goes through at once.',
	mobile_money: 'The credit arrives a few seconds after you pay, as if confirmed on a phone.',
};

function say(state, text) {
	status.dataset.state = state;
	status.textContent = text;
}

async function ask(url, options) {
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
	if (!open) say(topUp.status, words[topUp.status]);
}

async function choose(action) {
	const buttons = form.querySelectorAll('button');
	for (const button of buttons) button.disabled = true;
	try {
		const method = new FormData(form).get('method');
		const result = await ask(`${path}/choice`, { method: 'POST', body: JSON.stringify({ action, method }) });
		if (result.redirect) {
			say(result.status, 'Going back…');
			location.assign(result.redirect);
			return;
		}
		show(await ask(`${path}/state`));
		say(result.status, words[result.status]);
	} catch (error) {
		say('failed', error.message);
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
	show(await ask(`${path}/state`));
} catch (error) {
	say('failed', error.message);
} finally {
	main.removeAttribute('aria-busy');
}
