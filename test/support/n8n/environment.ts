import 'reflect-metadata';
import { temporaryFolder } from '../temporaryFolder';

// n8n-core reads these while it loads, so import this module first.
process.env.N8N_USER_FOLDER = process.env.TEST_FOLDER ?? temporaryFolder();
process.env.N8N_ENCRYPTION_KEY = 'engine-tests';
process.env.N8N_LOG_LEVEL = 'silent';
