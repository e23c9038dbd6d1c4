import type { ProviderKind as ConfiguredKind } from '@parley/contracts'
import { anthropic } from './anthropic.ts'
import { google } from './google.ts'
import { offline } from './offline.ts'
import { openai } from './openai.ts'
import { openaiCompatible } from './openai-compatible.ts'
import type { Vendor } from './vendor.ts'

/** The kinds that a config may name, and those that are always there. */
export type ProviderKind = ConfiguredKind | 'offline'

export const VENDORS = {
  anthropic,
  openai,
  google,
  'openai-compatible': openaiCompatible,
  offline,
} satisfies Record<ProviderKind, Vendor>
