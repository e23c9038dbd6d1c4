import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// oxlint-disable-next-line import/no-default-export -- vite reads its configuration from the default export
export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    // The page runs under a policy that allows nothing inline, data: addresses included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { host: '127.0.0.1', proxy: { '/v1': 'http://127.0.0.1:4400' } },
})
