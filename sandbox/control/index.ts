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
import { overviewRoutes } from './overview';
import { phoneRoutes } from './phones';
import type { ControlServices } from './services';
import { settingsRoutes } from './settings';
import { stateRoutes } from './state';
import { walletRoutes } from './wallet';

/**
 * The sandbox's own routes, to look at it and to steer it: `/_sandbox/*`. They are no part of the service. Each module
 * names its routes at its top; beside them `GET magic-values`. Amounts are in currency units; a list is a bare array;
 * a refusal is `{success: false, code, message}`.
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
		clockRoutes,
		stateRoutes,
		eventRoutes,
	];
	for (const part of parts) control.route('/', part(services));
	control.get('/magic-values', (c) => c.json(magicValues));
	return control;
}
