/** What a new agent file holds: enough to talk with, and the rest as comments. */
export function agentTemplate(id: string, { provider, model }: { provider: string; model: string }): string {
  return `# yaml-language-server: $schema=./${SCHEMA_FILE}
# Talk with it: parley chat --agent ${id}
id: ${id}
name: ${JSON.stringify(titleOf(id))}
# description: What it is for.

# \`parley providers\` lists what can stand here.
provider: ${JSON.stringify(provider)}
model: ${JSON.stringify(model)}

system_prompt: |
  You are a helpful assistant. Answer briefly, and say so when you do not know.

# temperature: 0.7
# max_tokens: 4096
# reasoning_effort: medium        # low, medium, high

# What it may use. What it can do there is for your config to say: parley config
# tools: [read_file, list_directory, search_files]
# mcp_servers: []

# What it is given of earlier turns; all that fits where this is absent.
# memory: { type: window, window_size: 5 }        # none, window, summary

# JSON Schemas: of each message, which {{inputs.city}} in the prompt reads, and of each answer.
# input_schema: { type: object, properties: { city: { type: string } }, required: [city] }
# output_schema: { type: object, properties: { answer: { type: string } }, required: [answer] }

# Whom to ask when its model fails.
# fallback_chain:
#   - { provider: offline, model: offline }
# retry: { max_attempts: 4 }
`
}

export const SCHEMA_FILE = 'agent.schema.json'

const titleOf = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1).replaceAll('-', ' ')
