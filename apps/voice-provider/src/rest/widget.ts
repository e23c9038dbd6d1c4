import type { AgentDocument } from '../agents/agent-document.ts'

const CIRCLE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1" fill="grey"/></svg>',
)}`

/** How a widget looks where the agent's settings say nothing of it. */
const USUAL = {
  variant: 'full',
  placement: 'bottom-right',
  expandable: 'never',
  // Without one a widget is not drawn at all; the vendor's orb fetches an image from the vendor.
  avatar: { type: 'url', custom_url: CIRCLE },
  feedback_mode: 'none',
  bg_color: '#ffffff',
  text_color: '#000000',
  btn_color: '#000000',
  btn_text_color: '#ffffff',
  border_color: '#e1e1e1',
  focus_color: '#000000',
  shareable_page_show_terms: true,
  show_avatar_when_collapsed: false,
  disable_banner: false,
  mic_muting_enabled: true,
  transcript_enabled: true,
  text_input_enabled: true,
  default_expanded: false,
  always_expanded: false,
  text_contents: {},
  styles: {},
  language_presets: {},
  supported_language_overrides: [],
} as const

/** Voice goes over the WebSocket here, never over WebRTC. */
export function widgetOf({ conversation_config, platform_settings }: AgentDocument) {
  const { agent, conversation } = conversation_config
  const own = platform_settings['widget']
  return {
    ...USUAL,
    ...(typeof own === 'object' && own !== null && own),
    language: agent.language,
    text_only: conversation.text_only,
    supports_text_only: true,
    first_message: agent.first_message,
    use_rtc: false,
  }
}
