import { HelixError, type MessageFile } from '@helix-agents/core';
import type { SpecificationVersion } from './language-model.ts';
import type { PromptPart } from './prompt.ts';

/** A file as the provider takes it. Nothing is downloaded: an https URL is the provider's to fetch. */
export function convertFile(file: MessageFile, version: SpecificationVersion): PromptPart {
  const { mediaType, filename } = file;
  const data = file.data.startsWith('data:') ? readDataUrl(file.data) : readUrl(file.data);
  return {
    type: 'file',
    mediaType,
    data: version === 'v4' ? tag(data) : data,
    ...(filename !== undefined && { filename }),
  };
}

/** The content of a data URL: base64 as it stands, text as bytes. */
function readDataUrl(url: string): string | Uint8Array {
  const comma = url.indexOf(',');
  if (comma === -1) throw invalid('a data URL without content');
  const content = url.slice(comma + 1);
  if (/;base64$/i.test(url.slice(0, comma))) return content;
  try {
    return new TextEncoder().encode(decodeURIComponent(content));
  } catch (error) {
    throw invalid('a data URL whose text cannot be decoded', error);
  }
}

function readUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed;
  throw invalid('neither a data URL nor an https URL');
}

function tag(data: string | Uint8Array | URL): object {
  return data instanceof URL ? { type: 'url', url: data } : { type: 'data', data };
}

function invalid(what: string, cause?: unknown): HelixError {
  return new HelixError({
    code: 'provider_request_invalid',
    message: `A file of a user message is ${what}; attach it as a base64 data URL.`,
    ...(cause !== undefined && { cause }),
  });
}
