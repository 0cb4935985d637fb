// Text and bytes. QuickJS has no TextEncoder; its base64 is native code, and many times faster than a loop.

const NATIVE = typeof TextEncoder === "function" ? { encoder: new TextEncoder(), decoder: new TextDecoder() } : null;

/** The most arguments of one call of `String.fromCharCode`. */
const PIECE = 8192;

/** A text as UTF-8; half of a surrogate pair becomes U+FFFD. */
export function encodeUtf8(text) {
  if (NATIVE) return NATIVE.encoder.encode(text);
  return Uint8Array.fromBase64(btoa(isAscii(text) ? text : unescape(encodeURIComponent(text.toWellFormed()))));
}

/** UTF-8 as a text; bytes that are none become U+FFFD. */
export function decodeUtf8(bytes) {
  if (NATIVE) return NATIVE.decoder.decode(bytes);
  const latin = decodeLatin1(bytes);
  if (isAscii(latin)) return latin;
  try {
    const text = decodeURIComponent(escape(latin));
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  } catch {
    return decodeLossy(bytes);
  }
}

/** Bytes as a text of U+0000 to U+00FF. */
function decodeLatin1(bytes) {
  if (bytes.length <= PIECE) return String.fromCharCode.apply(null, bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + PIECE));
  }
  return text;
}

function isAscii(text) {
  return !/[^\x00-\x7f]/.test(text);
}

/** As `TextDecoder` does it: each longest beginning of a sequence that can be none becomes one U+FFFD. */
export function decodeLossy(bytes) {
  const units = [];
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    const first = bytes[at++];
    if (first < 0x80) {
      units.push(first);
      continue;
    }
    const more = first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : first >= 0xf0 && first <= 0xf4 ? 3 : 0;
    let code = more === 0 ? -1 : first & (0x3f >> more);
    // The second byte is bound more narrowly after these: overlong forms, surrogates, beyond U+10FFFF.
    let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    for (let left = more; left > 0 && code >= 0; left--) {
      const next = bytes[at];
      if (next === undefined || next < low || next > high) {
        code = -1;
        break;
      }
      at++;
      code = (code << 6) | (next & 0x3f);
      low = 0x80;
      high = 0xbf;
    }
    if (code < 0) units.push(0xfffd);
    else if (code < 0x10000) units.push(code);
    else units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
  }
  let text = "";
  for (let from = 0; from < units.length; from += PIECE) {
    text += String.fromCharCode.apply(null, units.slice(from, from + PIECE));
  }
  return text;
}

/** Bytes of a text in UTF-8. */
export function utf8Length(text) {
  return isAscii(text) ? text.length : encodeUtf8(text).length;
}

/** The longest beginning of a text that has at most so many bytes, cut between characters. */
export function cutUtf8(text, most) {
  if (text.length * 3 <= most || utf8Length(text) <= most) return text;
  const bytes = encodeUtf8(text);
  let end = most;
  while ((bytes[end] & 0xc0) === 0x80) end--;
  return decodeUtf8(bytes.subarray(0, end));
}

/** A text as one segment of a path, or a value of a query or form: all but letters, digits and `-._~` is encoded. */
export function percentEncode(text) {
  const encode = (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(String(text).toWellFormed()).replace(/[!'()*]/g, encode);
}
