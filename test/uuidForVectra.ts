/**
 * Nothing in, nothing out: lets jest load vectra, which requires uuid, an ES module; Node can do that, jest cannot before
 * Node 24.9. Import it before anything that opens an index.
 */

import { jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';

jest.mock('uuid', () => ({ v4: randomUUID }));
