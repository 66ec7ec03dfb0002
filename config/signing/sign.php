<?php
// Prints the signed path of a picture at any URL: php sign.php LEVEL URL [EXPIRES], with the key in
// VITRINE_URL_KEYS. docs/signing.md explains each step.

// The URL as Vitrine keeps it. Write host names with other letters than ASCII as xn--…
function normalForm(string $url): string
{
    $text = str_replace(["\t", "\r", "\n"], '', trim($url, "\0..\x20"));
    preg_match('~^(https?://)([^/?#\\\\]+)([^?#]*)(\?[^#]*)?~i', $text, $parts);
    [, $scheme, $host, $path] = $parts;
    $escaped = fn (string $part, string $allowed) => preg_replace_callback(
        "~%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._\~!$&'()*+,;=:@/%$allowed]~",
        fn ($found) => rawurlencode($found[0]), $part);
    $rest = $escaped(str_replace('\\', '/', $path), '') . $escaped($parts[4] ?? '', '?');
    return strtolower($scheme . $host) . ($rest === '' ? '/' : $rest);
}

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

function signedPath(string $key, string $level, string $url, ?int $expires = null): string
{
    $name = base64url(normalForm($url));
    $end = $expires === null ? '' : "?expires=$expires";
    $code = base64url(hash_hmac('sha256', "$level/url/$name$end", $key, true));
    return "/t/$level/url/$code/$name$end";
}

if (realpath($argv[0]) === __FILE__) {
    // The first key signs; blanks don't count.
    $key = preg_replace('/\s/', '', preg_split('/[,\n]/', getenv('VITRINE_URL_KEYS'))[0]);
    echo signedPath($key, $argv[1], $argv[2], isset($argv[3]) ? (int) $argv[3] : null), "\n";
}
