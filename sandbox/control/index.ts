import { Hono } from 'hono';
import { magicValues } from '../simulation/magicValues';
import type { HonoEnv } from '../http/env';
import { accountRoutes } from './account';
import { callbackRoutes } from './callbacks';
import { clockRoutes } from './clock';
import { eventRoutes } from './events';
import { faultRoutes } from './faults';
import { keyRoutes } from './keys';
import { messageRoutes } from './messages';
import { numberRoutes } from './numbers';
import { overviewRoutes } from './overview';
import { phoneRoutes } from './phones';
import { requestRoutes } from './requests';
import type { ControlServices } from './services';
import { settingsRoutes } from './settings';
import { stateRoutes } from './state';
import { walletRoutes } from './wallet';

/**
 * Creates the routes that inspect and control the sandbox: `/_sandbox/*`. They are no part of the service. Each module
 * lists its routes at its top; `GET magic-values` is here. Amounts are in currency units. A list is a bare array. An
 * error is `{success: false, code, message}`.
 */
export function createControl(services: ControlServices): Hono<HonoEnv> {
	const control = new Hono<HonoEnv>();
	const parts = [
		settingsRoutes,
		overviewRoutes,
		messageRoutes,
		walletRoutes,
		accountRoutes,
		keyRoutes,
		callbackRoutes,
		phoneRoutes,
		faultRoutes,
		requestRoutes,
		numberRoutes,
		clockRoutes,
		stateRoutes,
		eventRoutes,
	];
	for (const part of parts) control.route('/', part(services));
	control.get('/magic-values', (c) => c.json(magicValues));
	return control;
}
