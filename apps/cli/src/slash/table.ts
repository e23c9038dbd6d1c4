import type { SlashCommand } from './slash-command.ts'
import { cancel, context, cost, edit, files, fork, help, rename } from './commands.ts'
import { compact, exportTo, model, trim } from './history-commands.ts'
import { grants, last } from './tool-commands.ts'

/** What can be done at the prompt beside talking. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'help', also: '?', summary: 'list these commands and the keys', run: help },
  { name: 'model', argument: '[NAME]', summary: 'list the models, or go on with another one', needs: 'models', run: model },
  { name: 'context', summary: 'what the agent has before it: session, folder, messages', needs: 'context', run: context },
  { name: 'files', summary: 'list the files that were given along', needs: 'files', run: files },
  { name: 'grants', summary: 'list what you allowed for this session', needs: 'grants', run: grants },
  { name: 'last', argument: '[PAGE]', summary: 'all that the last tool said', needs: 'lastResult', run: last },
  { name: 'cost', summary: 'what this session has cost so far', needs: 'cost', run: cost },
  { name: 'compact', summary: 'put a summary in place of older messages, for the model', needs: 'compact', run: compact },
  { name: 'trim', argument: 'COUNT', summary: 'leave out all but the last messages, for the model', needs: 'trim', run: trim },
  { name: 'title', argument: 'TITLE', summary: 'give this session another title', needs: 'rename', run: rename },
  { name: 'export', argument: '[FILE]', summary: 'write this session to a file', needs: 'export', run: exportTo },
  { name: 'fork', argument: '[AGENT]', summary: 'go on in a new session with the same past', needs: 'fork', run: fork },
  { name: 'edit', argument: '[TEXT]', summary: 'write the next message in your editor', needs: 'edit', run: edit },
  { name: 'cancel', summary: 'stop what another terminal is at in this session', needs: 'cancel', run: cancel },
  { name: 'quit', also: 'exit', summary: 'leave; the session is kept', run: async () => ({ kind: 'quit' }) },
] // prettier-ignore
