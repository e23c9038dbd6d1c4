import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

// oxlint-disable-next-line import/no-default-export -- vite reads its configuration from the default export
export default defineConfig({
  plugins: [react(), tailwindcss(), worklets()],
  resolve: {
    // Calls go over a socket; the library for others is twice as large as all that a talk needs.
    alias: { 'livekit-client': fileURLToPath(new URL('src/talk/call/no-livekit.ts', import.meta.url)) },
  },
  build: {
    // The page runs under a policy that allows nothing inline, data: addresses included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { host: '127.0.0.1', proxy: { '/v1': 'http://127.0.0.1:4400' } },
})

/** What handles sound beside the page. The vendor's client would make it from text, which the page's policy forbids. */
function worklets(): Plugin {
  const { resolve } = createRequire(import.meta.url)
  return {
    name: 'worklets',
    generateBundle() {
      for (const name of ['rawAudioProcessor.js', 'audioConcatProcessor.js']) {
        const source = readFileSync(resolve(`@elevenlabs/client/worklets/${name}`), 'utf8')
        this.emitFile({ type: 'asset', fileName: `worklets/${name}`, source })
      }
    },
  }
}
