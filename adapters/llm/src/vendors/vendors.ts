import type { VendorKind } from '../settings.ts'
import { anthropic } from './anthropic.ts'
import { compatible } from './compatible.ts'
import { google } from './google.ts'
import { openai } from './openai.ts'
import type { Vendor } from './vendor.ts'

export const VENDORS: Record<VendorKind, Vendor> = {
  anthropic,
  openai,
  google,
  'openai-compatible': compatible,
}
