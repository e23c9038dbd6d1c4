/** How agents are set up on this server, whoever they speak for. */
export interface AgentSetUp {
  /** Where the provider reaches this API. */
  readonly publicUrl: string
  readonly toolSecret: string
  readonly defaultVoiceId: string
}
