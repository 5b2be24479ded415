// A reader of JSON, as small as the vectors of the protocol need it. For the tests alone.

#ifndef JSON_HPP
#define JSON_HPP

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// A value: what it isn't is empty or 0.
struct Json {
    enum Kind { null, boolean, number, text, list, object } kind = null;
    double value = 0;  // a boolean's too
    std::string string = {};
    std::vector<Json> items = {};
    std::map<std::string, Json> members = {};

    const Json& operator[](const std::string& key) const {
        static const Json none;
        const auto found = members.find(key);
        return found == members.end() ? none : found->second;
    }
    explicit operator bool() const { return kind != null; }
    int integer() const { return static_cast<int>(value); }

    static Json parse(const std::string& text) {
        const char* at = text.c_str();
        Json json = read(at);
        skip(at);
        if (*at) fail(at);
        return json;
    }

  private:
    [[noreturn]] static void fail(const char* at) {
        throw std::runtime_error("no JSON: " + std::string(at).substr(0, 40));
    }

    static void skip(const char*& at) {
        while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') ++at;
    }

    static bool take(const char*& at, const std::string& word) {
        skip(at);
        if (std::string(at).compare(0, word.size(), word) != 0) return false;
        at += word.size();
        return true;
    }

    static Json read(const char*& at) {
        Json json;
        if (take(at, "null")) return json;
        if (take(at, "true")) return {boolean, 1};
        if (take(at, "false")) return {boolean, 0};
        if (*at == '"') {
            json.kind = text;
            json.string = read_string(at);
        } else if (take(at, "[")) {
            json.kind = list;
            if (take(at, "]")) return json;
            do json.items.push_back(read(at));
            while (take(at, ","));
            if (!take(at, "]")) fail(at);
        } else if (take(at, "{")) {
            json.kind = object;
            if (take(at, "}")) return json;
            do {
                skip(at);
                const std::string key = read_string(at);
                if (!take(at, ":")) fail(at);
                json.members[key] = read(at);
            } while (take(at, ","));
            if (!take(at, "}")) fail(at);
        } else {
            char* end = nullptr;
            json = {number, std::strtod(at, &end)};
            if (end == at) fail(at);
            at = end;
        }
        return json;
    }

    static unsigned long read_hex(const char*& at) {
        const std::string digits = std::string(at).substr(0, 4);
        at += digits.size();
        return std::stoul(digits, nullptr, 16);
    }

    static std::string read_string(const char*& at) {
        if (*at++ != '"') fail(at);
        std::string read;
        while (*at != '"') {
            if (!*at) fail(at);
            if (*at != '\\') {
                read += *at++;
                continue;
            }
            const char escape = at[1];
            at += 2;
            static const std::string escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
            if (escapes.find(escape) != std::string::npos) {
                read += meant[escapes.find(escape)];
                continue;
            }
            unsigned long point = read_hex(at);
            if (point >= 0xD800 && point < 0xDC00) {
                at += 2;
                point = 0x10000 + ((point - 0xD800) << 10) + (read_hex(at) - 0xDC00);
            }
            append(read, point);
        }
        ++at;
        return read;
    }

    static void append(std::string& to, unsigned long point) {
        const auto put = [&to](unsigned long byte) { to += static_cast<char>(byte); };
        if (point < 0x80) {
            put(point);
        } else if (point < 0x800) {
            put(0xC0 | point >> 6);
            put(0x80 | (point & 0x3F));
        } else if (point < 0x10000) {
            put(0xE0 | point >> 12);
            put(0x80 | (point >> 6 & 0x3F));
            put(0x80 | (point & 0x3F));
        } else {
            put(0xF0 | point >> 18);
            put(0x80 | (point >> 12 & 0x3F));
            put(0x80 | (point >> 6 & 0x3F));
            put(0x80 | (point & 0x3F));
        }
    }
};

#endif
