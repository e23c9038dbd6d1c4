import { offlineModel } from '../offline/offline-model.ts'
import type { BuiltInVendor } from './vendor.ts'

export const offline: BuiltInVendor = {
  transport: 'built-in',
  models: [{ id: 'offline' }],
  open: offlineModel,
}
