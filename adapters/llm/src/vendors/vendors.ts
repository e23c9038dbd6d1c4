import type { ProviderKind } from '@parley/contracts'
import { anthropic } from './anthropic.ts'
import { google } from './google.ts'
import { openai } from './openai.ts'
import { openaiCompatible } from './openai-compatible.ts'
import { createOfflineModel } from '../offline/offline-model.ts'
import type { BuiltInVendor, Vendor } from './vendor.ts'

/** The configurable kinds, and the built-in one. */
export type VendorKind = ProviderKind | 'offline'

const offline: BuiltInVendor = {
  transport: 'built-in',
  models: [{ id: 'offline' }],
  open: createOfflineModel,
}

export const VENDORS = {
  anthropic,
  openai,
  google,
  'openai-compatible': openaiCompatible,
  offline,
} satisfies Record<VendorKind, Vendor>
