// oxlint-disable-next-line import/no-unassigned-import -- the element makes itself known to the page
import '@elevenlabs/convai-widget-embed'
