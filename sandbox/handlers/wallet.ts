import { contract } from '../../shared/contract';
import { toCurrency } from '../store/money';
import { handle, type Handlers } from './handler';

/** Endpoints of the wallet (service.md, Balance). */
export const wallet: Handlers['wallet'] = {
	getBalance: handle(contract.wallet.getBalance, (_input, { store }) => {
		const { balance, currency } = store.wallet.read();
		return { balance: toCurrency(balance), currency };
	}),
};
