import { Hono } from 'hono'
import { createNotFoundRefusal } from './refusal.ts'
import type { LocalVoice, RestEnv, RestServices } from './rest-env.ts'

/** The key's account. Clients call it to check the key. */
export const accountRoutes = () =>
  new Hono<RestEnv>()
    .get('/', (c) =>
      c.json({
        user_id: 'local',
        workspace_id: 'local',
        subscription: SUBSCRIPTION,
        is_new_user: false,
        can_use_delayed_payment_methods: false,
        is_onboarding_completed: true,
        is_onboarding_checklist_completed: true,
        first_name: 'Local',
        created_at: 0,
        seat_type: 'workspace_admin',
      }),
    )
    .get('/subscription', (c) =>
      c.json({
        ...SUBSCRIPTION,
        open_invoices: [],
        has_open_invoices: false,
        next_invoice: null,
        pending_change: null,
      }),
    )

/** The local voices. Unknown ids use the first one. */
export const voiceRoutes = ({ voices }: RestServices) =>
  new Hono<RestEnv>()
    .get('/v1/voices', (c) => c.json({ voices: voices.map(toResponse) }))
    .get('/v2/voices', (c) =>
      c.json({
        voices: voices.map(toResponse),
        has_more: false,
        total_count: voices.length,
        next_page_token: null,
      }),
    )
    .get('/v1/voices/:voiceId', (c) => {
      const id = c.req.param('voiceId')
      const voice = voices.find(({ voiceId }) => voiceId === id)
      if (!voice) throw createNotFoundRefusal('voice', id)
      return c.json(toResponse(voice))
    })

const toResponse = ({ voiceId, name, description }: LocalVoice) => ({
  voice_id: voiceId,
  name,
  description,
  category: 'premade',
  labels: { language: 'en' },
  available_for_tiers: [],
  high_quality_base_model_ids: [],
  is_owner: true,
})

const SUBSCRIPTION = {
  tier: 'local',
  character_count: 0,
  character_limit: 1_000_000_000,
  max_character_limit_extension: null,
  max_credit_limit_extension: 'unlimited',
  can_extend_character_limit: false,
  allowed_to_extend_character_limit: false,
  next_character_count_reset_unix: null,
  voice_slots_used: 0,
  professional_voice_slots_used: 0,
  professional_voice_slots_used_in_workspace: 0,
  voice_limit: 0,
  max_voice_add_edits: null,
  voice_add_edit_counter: 0,
  professional_voice_limit: 0,
  can_extend_voice_limit: false,
  can_use_instant_voice_cloning: false,
  can_use_professional_voice_cloning: false,
  currency: null,
  current_overage: { amount: '0', currency: 'usd' },
  status: 'free',
  billing_period: null,
  character_refresh_period: null,
} as const
